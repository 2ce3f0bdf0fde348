/* ---- Markdown: the part of CommonMark that answers and documents use, built as nodes ---- */

const BLOCK = {
  fence: /^ {0,3}(`{3,}|~{3,})[^`]*$/,
  heading: /^ {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$/,
  rule: /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/,
  quote: /^ {0,3}> ?/,
  item: /^( {0,3})([-*+]|\d{1,9}[.)])(\s+|$)/,
  row: /^ {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/,
};
const startsBlock = (line) => BLOCK.fence.test(line) || BLOCK.heading.test(line) || BLOCK.rule.test(line) || BLOCK.quote.test(line) || BLOCK.item.test(line);
const isTable = (lines, i) => lines[i].includes("|") && i + 1 < lines.length && lines[i + 1].includes("-") && BLOCK.row.test(lines[i + 1]);

function markdown(text, cite) {
  return blocks(text.replace(/\r\n?/g, "\n").split("\n"), cite);
}

function blocks(lines, cite) {
  const out = document.createDocumentFragment();
  for (let i = 0; i < lines.length;) {
    const line = lines[i];
    if (!line.trim()) { i += 1; continue; }
    const read = BLOCK.fence.test(line) ? fence : BLOCK.heading.test(line) ? heading : BLOCK.rule.test(line) ? rule
      : BLOCK.quote.test(line) ? quote : BLOCK.item.test(line) ? list : isTable(lines, i) ? table : paragraph;
    const [node, next] = read(lines, i, cite);
    out.append(node);
    i = next;
  }
  return out;
}

function fence(lines, i) {
  const open = lines[i].match(BLOCK.fence)[1];
  let end = i + 1;
  while (end < lines.length && !(lines[end].trim().startsWith(open) && !lines[end].trim().replaceAll(open[0], ""))) end += 1;
  const code = el("code", {}, lines.slice(i + 1, end).join("\n"));
  return [el("pre", { tabindex: "0", role: "group", "aria-label": "Code" }, code), end + 1];
}

function heading(lines, i, cite) {
  const [, marks, text = ""] = lines[i].match(BLOCK.heading);
  return [el("h" + Math.min(6, marks.length + 2), {}, inline(text, cite)), i + 1];
}

function rule(lines, i) { return [el("hr"), i + 1]; }

function quote(lines, i, cite) {
  const inside = [];
  while (i < lines.length && BLOCK.quote.test(lines[i])) { inside.push(lines[i].replace(BLOCK.quote, "")); i += 1; }
  return [el("blockquote", {}, blocks(inside, cite)), i];
}

function list(lines, i, cite) {
  const [, , first] = lines[i].match(BLOCK.item);
  const ordered = /\d/.test(first);
  const node = el(ordered ? "ol" : "ul", { start: ordered && parseInt(first, 10) !== 1 ? parseInt(first, 10) : null });
  const same = (line) => { const found = line.match(BLOCK.item); return found && !BLOCK.rule.test(line) && found[2].at(-1) === first.at(-1) ? found : null; };
  for (let found; i < lines.length && (found = same(lines[i]));) {
    const width = Math.min(found[0].length, found[1].length + found[2].length + 4) || 2;
    const inside = [lines[i].slice(found[0].length)];
    let gap = false, loose = false;
    for (i += 1; i < lines.length; i += 1) {
      const indent = lines[i].match(/^ */)[0].length;
      if (!lines[i].trim()) { gap = true; inside.push(""); continue; }
      if (indent >= Math.min(width, 2)) { loose ||= gap; inside.push(lines[i].slice(Math.min(indent, width))); gap = false; continue; }
      if (gap || startsBlock(lines[i])) break;
      inside.push(lines[i].trim());
    }
    const item = el("li", {}, blocks(inside, cite));
    if (!loose && item.firstElementChild?.tagName === "P") item.firstElementChild.replaceWith(...item.firstElementChild.childNodes);
    node.append(item);
  }
  return [node, i];
}

function cells(line) {
  const inside = line.trim().replace(/^\|/, "").replace(/(^|[^\\])\|$/, "$1");
  return inside.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function table(lines, i, cite) {
  const columns = cells(lines[i]);
  const head = el("thead", {}, el("tr", {}, ...columns.map((cell) => el("th", { scope: "col" }, inline(cell, cite)))));
  const body = el("tbody");
  for (i += 2; i < lines.length && lines[i].trim() && lines[i].includes("|"); i += 1) {
    const row = cells(lines[i]);
    body.append(el("tr", {}, ...columns.map((_, column) => el("td", {}, inline(row[column] ?? "", cite)))));
  }
  return [el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table" }, el("table", {}, head, body)), i];
}

function paragraph(lines, i, cite) {
  const inside = [lines[i]];
  for (i += 1; i < lines.length && lines[i].trim() && !startsBlock(lines[i]) && !isTable(lines, i); i += 1) inside.push(lines[i]);
  return [el("p", {}, inline(inside.map((line) => line.trimStart()).join("\n").trimEnd(), cite)), i];
}

const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&nbsp;": "\u00a0" };
const INLINE = [
  [/\\([!-/:-@[-`{-~])/y, ([, mark]) => mark],
  [/(?:\\| {2,})\n */y, () => el("br")],
  [/<br\s*\/?>/iy, () => el("br")],
  [/\n */y, () => " "],
  [/(`+)(?!`)([^]*?[^`])\1(?!`)/y, ([, , code]) => el("code", {}, code.replace(/\n/g, " ").replace(/^ (.*[^ ].*) $/, "$1"))],
  [/!\[([^\]]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)/y, ([, alt]) => alt],
  [/\[(\d{1,3})\](?!\()/y, ([whole, number], cite) => (cite ? cite(Number(number)) : whole)],
  [/\[((?:[^[\]]|\[[^[\]]*\])+)\]\(<?([^()<>\s]*(?:\([^()\s]*\)[^()<>\s]*)*)>?(?:\s+"[^"]*")?\)/y, ([, text, to]) => link(to, inline(text))],
  [/<(https?:\/\/[^\s<>]+)>/y, ([, to]) => link(to, to)],
  [/https?:\/\/[^\s<>*`|]*[^\s<>*`|.,;:!?)\]"']/y, ([to]) => link(to, to)],
  [/\*\*(?=\S)([^]*?\S)\*\*(?!\*)/y, ([, text], cite) => el("strong", {}, inline(text, cite))],
  [/(?<![\p{L}\p{N}])__(?=\S)([^]*?\S)__(?![\p{L}\p{N}])/uy, ([, text], cite) => el("strong", {}, inline(text, cite))],
  [/\*(?=[^\s*])([^*]*[^\s*])\*/y, ([, text], cite) => el("em", {}, inline(text, cite))],
  [/(?<![\p{L}\p{N}])_(?=[^\s_])([^_]*[^\s_])_(?![\p{L}\p{N}])/uy, ([, text], cite) => el("em", {}, inline(text, cite))],
  [/~~(?=\S)([^]*?\S)~~/y, ([, text], cite) => el("s", {}, inline(text, cite))],
  [/&(?:amp|lt|gt|quot|#39|nbsp);/y, ([name]) => ENTITIES[name]],
];

const SPECIAL = /[\\`*_~[!<&\n]| {2,}\n|https?:/g;

function inline(text, cite) {
  const out = document.createDocumentFragment();
  let plain = "";
  const put = (node) => { if (typeof node === "string") plain += node; else { out.append(plain, node); plain = ""; } };
  for (let at = 0; at < text.length;) {
    SPECIAL.lastIndex = at;
    const special = SPECIAL.exec(text)?.index ?? text.length;
    plain += text.slice(at, special);
    at = special;
    if (at === text.length) break;
    const match = firstMatch(text, at);
    if (match) { put(match.make(match.found, cite)); at += match.found[0].length; } else { plain += text[at]; at += 1; }
  }
  if (plain) out.append(plain);
  return out;
}

function firstMatch(text, at) {
  for (const [pattern, make] of INLINE) {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) return { found, make };
  }
  return null;
}
