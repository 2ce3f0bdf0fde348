/* ---- one question and its answer ---- */

const REFUSALS = {
  off_topic: "Outside this certification", other_tenant: "Belongs to another certification", exam_integrity: "Not for the real exam", injection: "Not something to act on",
  smalltalk: "Just a word between us", too_fast: "A little too fast", budget: "The budget is used up", provider: "The model cannot be reached", empty: "No question found", too_long: "Too long to answer",
};
const NOTICES = { secret: ["secret", "A secret in your question"], budget: ["notice", "Quotes only, for now"], provider: ["notice", "Without the language model"], cut: ["notice", "Cut short"] };
const LEVELS = [[0.85, 3, "Well covered by the documents"], [0.65, 2, "Covered by the documents"], [0, 1, "Thinly covered: check the passages"]];

class Entry {
  constructor(tenant, question) {
    this.tenant = tenant;
    this.question = question;
    this.text = "";
    this.frame = 0;
    state.count += 1;
    const id = `question-${state.count}`;
    this.title = el("h2", { id, class: question.length > 320 ? "long" : null, tabindex: question.length > 320 ? "0" : null }, question);
    this.body = el("div", { class: "body" });
    this.node = el("article", { class: "entry", "aria-labelledby": id, "data-tenant": tenant.slug }, el("p", { class: "kicker" }, tenant.title), this.title, this.body);
  }

  wait(words) {
    this.text = "";
    this.prose = null;
    cancelAnimationFrame(this.frame);
    this.node.dataset.kind = "waiting";
    this.node.setAttribute("aria-busy", "true");
    this.body.replaceChildren(el("p", { class: "status busy" }, el("span", {}, words)));
  }

  add(text) {
    this.text += text;
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    if (!this.prose) this.body.replaceChildren(this.prose = el("div", { class: "prose" }));
    this.prose.replaceChildren(markdown(this.text, (number) => el("span", { class: "cite" }, String(number))));
  }

  settle(kind) {
    cancelAnimationFrame(this.frame);
    this.node.dataset.kind = kind;
    this.node.setAttribute("aria-busy", "false");
  }

  finish(answer) {
    this.settle(answer.kind);
    this.answer = answer;
    this.text = answer.answer;
    const known = new Map(answer.citations.filter(({ source }) => answer.sources[source]).map((citation) => [citation.number, citation]));
    this.prose = el("div", { class: "prose" }, markdown(answer.answer, (number) => (known.has(number) ? this.citation(known.get(number)) : this.recalled ? el("span", { class: "cite" }, String(number)) : `[${number}]`)));
    const verdict = answer.kind === "unknown" ? "Not in the documents" : answer.kind === "refusal" ? REFUSALS[answer.reason] ?? "Not answered" : null;
    const told = el("div", { class: "told" }, verdict ? el("p", { class: "verdict" }, icon(answer.kind), verdict) : null, this.prose);
    const sources = known.size ? this.sources([...known.values()]) : null;
    this.body.replaceChildren(el("div", {}, told, ...answer.notices.map(notice), ...this.after(answer)), ...(sources ? [sources] : []));
    if (answer.asked && answer.asked !== this.question && /\[[A-Z_]+_\d+\]/.test(answer.asked)) this.redact(answer.asked);
    return verdict ?? "Answer";
  }

  tell(verdict) {
    const count = this.body.querySelectorAll(".sources li").length;
    announce(`${verdict}: ${plainText(this.prose)}${count ? ` ${count} ${count === 1 ? "source" : "sources"}.` : ""}`);
  }

  /* An exchange from before this page was loaded: its passages are not kept, so its numbers open nothing. */
  recall(exchange) {
    this.recalled = exchange;
    this.finish({ ...exchange, citations: [], sources: [], notices: [], confidence: null });
  }

  redact(asked) {
    this.title.textContent = asked;
    this.title.after(el("p", { class: "redacted" }, "Personal details were taken out before the question was used."));
  }

  citation(citation) {
    const label = `Source ${citation.number}: ${citation.title}`;
    const button = el("button", { class: "cite", type: "button", "aria-label": label, title: citation.heading || citation.title, "aria-haspopup": "dialog", "aria-expanded": "false" }, String(citation.number));
    button.addEventListener("click", () => showPassage(this.answer, citation, button, [sentenceBefore(button)]));
    button.dataset.number = citation.number;
    return button;
  }

  sources(citations) {
    const items = citations.map((citation) => {
      const place = citation.heading.split(" > ").filter((part, i) => i > 0 || part !== citation.title).join(" › ");
      const host = webAddress(citation.url)?.host;
      const button = el("button", { type: "button", "aria-haspopup": "dialog", "aria-expanded": "false" },
        el("span", { class: "number" }, el("span", {}, String(citation.number))),
        el("span", {}, citation.title, place ? el("small", {}, place) : null, host ? el("small", {}, host) : null));
      button.addEventListener("click", () => showPassage(this.answer, citation, button,
        [...this.prose.querySelectorAll(`button.cite[data-number="${citation.number}"]`)].map(sentenceBefore)));
      return el("li", {}, button);
    });
    return el("section", { class: "sources" }, el("h3", {}, items.length === 1 ? "Source" : "Sources"), el("ol", {}, ...items));
  }

  after(answer) {
    if (answer.kind === "refusal") return [];
    const copy = el("button", { class: "quiet", type: "button", onclick: () => copyAnswer(answer, copy) }, icon("copy"), "Copy");
    const feedback = new Feedback(this.tenant, answer.id, this.recalled?.helpful ?? null);
    const hands = el("div", { class: "hands" }, answer.kind === "answer" ? copy : null, feedback.thumbs);
    const words = this.recalled ? el("p", { class: "confidence" }, "From earlier in this conversation") : answer.kind === "answer" && answer.confidence !== null ? confidence(answer.confidence) : null;
    return [el("div", { class: "after" }, words, hands), feedback.more];
  }

  stopped() {
    this.settle("stopped");
    const kept = this.text.trim() ? el("div", { class: "prose" }, markdown(this.text)) : null;
    this.body.replaceChildren(el("div", { class: "told" }, kept, el("p", { class: "status" }, "Stopped."), this.again("Ask again")));
    announce("Stopped.");
  }

  fail(title, detail, reference) {
    this.settle("error");
    this.body.replaceChildren(el("div", { class: "told" }, el("p", { class: "verdict" }, icon("error"), title), el("p", {}, detail),
      reference ? el("p", { class: "reference" }, `Reference: ${reference}`) : null, this.again("Try again")));
    announce(`${title}. ${detail}`);
  }

  again(label) {
    return el("button", { class: "press outline", type: "button", onclick: () => { if (!state.running) { run(this); ui.question.focus(); } } }, label);
  }
}

function notice({ kind, text }) {
  const [mark, label] = NOTICES[kind] ?? ["notice", "Note"];
  return el("p", { class: "notice", "data-notice": kind }, icon(mark), el("span", {}, el("b", {}, label), text));
}

function confidence(value) {
  const [, level, words] = LEVELS.find(([least]) => value >= least) ?? LEVELS.at(-1);
  const bars = el("span", { class: "bars", "aria-hidden": "true" }, ...[1, 2, 3].map((bar) => el("i", { class: bar <= level ? "on" : null })));
  return el("p", { class: "confidence" }, bars, words);
}

async function copyAnswer(answer, button) {
  const sources = answer.citations.map(({ number, title, heading, url }) => `[${number}] ${heading || title} ${url}`.trim());
  const done = await toClipboard([answer.answer, sources.join("\n")].filter(Boolean).join("\n\n"));
  button.replaceChildren(icon(done ? "check" : "copy"), done ? "Copied" : "Select the text and copy it by hand");
  announce(done ? "Copied." : "Copying is not allowed here.");
  setTimeout(() => button.replaceChildren(icon("copy"), "Copy"), 2500);
}

async function toClipboard(text) {
  try { await navigator.clipboard.writeText(text); return true; } catch { /* not a secure context: the old way */ }
  const area = el("textarea", { class: "unseen" });
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
