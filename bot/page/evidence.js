/* ---- sentences: which one does a citation stand behind, and where is it in the passage ---- */

function textNodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) => (node.parentElement.closest(".cite") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
  const nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  return nodes;
}

const plainText = (root) => textNodes(root).map((node) => node.data).join("");

function sentences(text) {
  if (!("Segmenter" in Intl)) return [...text.matchAll(/[^.!?]+[.!?]*\s*/g)].map((found) => ({ index: found.index, segment: found[0] }));
  return [...new Intl.Segmenter("en", { granularity: "sentence" }).segment(text)];
}

const rowText = (row) => [...row.cells].map(plainText).join(" ");

function sentenceBefore(button) {
  const row = button.closest("tr");
  if (row) return rowText(row);
  const block = button.closest("li, p, blockquote, h3, h4, h5, h6");
  const before = document.createRange();
  before.setStart(block, 0);
  before.setEndBefore(button);
  const holder = el("div");
  holder.append(before.cloneContents());
  const offset = plainText(holder).trimEnd().length;
  const text = plainText(block);
  const found = sentences(text).filter(({ index }) => index < Math.max(1, offset)).at(-1);
  return found ? found.segment.trim() : text.trim();
}

const words = (text) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+(?:[.:/_-][\p{L}\p{N}]+)*/gu) ?? []);

function likeness(one, other) {
  const [a, b] = [words(one), words(other)];
  return a.size && b.size ? (2 * [...a].filter((word) => b.has(word)).length) / (a.size + b.size) : 0;
}

function spotsIn(block, sentence) {
  const text = plainText(block);
  const exact = text.indexOf(sentence);
  if (exact >= 0) return [{ block, start: exact, end: exact + sentence.length, score: 1 }];
  if (block.tagName === "TR") return [{ block, start: 0, end: text.length, score: likeness(sentence, rowText(block)) }];
  return sentences(text).map(({ index, segment }) => ({ block, start: index, end: index + segment.trimEnd().length, score: likeness(sentence, segment) }));
}

function mark(root, sentence) {
  const leaves = [...root.querySelectorAll("p, li, tr, pre, blockquote")].filter((block) => !block.querySelector("p, li, tr, pre"));
  const best = leaves.flatMap((block) => spotsIn(block, sentence)).sort((a, b) => b.score - a.score)[0];
  if (!best || best.score < 0.4) return null;
  let at = 0, first = null;
  for (const node of textNodes(best.block)) {
    const [from, to] = [Math.max(best.start - at, 0), Math.min(best.end - at, node.data.length)];
    at += node.data.length;
    if (from >= to || node.parentElement.closest("mark")) continue;
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    const wrap = el("mark");
    range.surroundContents(wrap);
    first ??= wrap;
  }
  return first;
}
