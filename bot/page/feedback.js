/* ---- what the reader thinks of an answer ---- */

const VERDICTS = [
  { helpful: true, name: "thumb-up", label: "Helpful", asks: "What helped? (optional)" },
  { helpful: false, name: "thumb-down", label: "Not helpful", asks: "What was wrong or missing? (optional)" },
];

class Feedback {
  constructor(tenant, answer, helpful = null) {
    this.tenant = tenant;
    this.answer = answer;
    this.buttons = VERDICTS.map((verdict) => el("button", { class: "quiet thumb", type: "button", "aria-label": verdict.label, title: verdict.label,
      "aria-pressed": String(verdict.helpful === helpful), onclick: () => this.rate(verdict) }, icon(verdict.name)));
    this.thumbs = el("div", { class: "thumbs", role: "group", "aria-label": "Was this answer helpful?" }, ...this.buttons);
    this.more = el("div", { class: "more" });
  }

  press(helpful) { VERDICTS.forEach((verdict, i) => this.buttons[i].setAttribute("aria-pressed", String(verdict.helpful === helpful))); }

  async send(helpful, comment) {
    const body = { tenant: this.tenant.slug, answer: this.answer, helpful, ...(comment ? { comment } : {}) };
    try { await request("/v1/feedback", { method: "POST", body }); return true; } catch (error) {
      this.complain(error instanceof Refused ? error.problem.detail : "It could not be sent. Try again once the server can be reached.");
      return false;
    }
  }

  async rate(verdict) {
    this.press(verdict.helpful);
    if (await this.send(verdict.helpful)) this.invite(verdict); else this.press(null);
  }

  invite(verdict) {
    const id = `comment-${this.answer}`;
    const words = el("textarea", { id, rows: "2", maxlength: String(MAX_COMMENT) });
    const form = el("form", { class: "comment" }, el("label", { for: id }, verdict.asks), words, el("button", { class: "press outline", type: "submit" }, "Send"));
    form.addEventListener("submit", (event) => { event.preventDefault(); this.tell(verdict, words.value.trim()); });
    this.more.replaceChildren(form);
    form.scrollIntoView({ block: "nearest" });
    announce("Thank you. You can add a comment.");
  }

  async tell(verdict, comment) {
    if (comment && !(await this.send(verdict.helpful, comment))) return;
    this.more.replaceChildren(el("p", { class: "said" }, "Thank you."));
    announce("Thank you.");
    this.buttons[VERDICTS.indexOf(verdict)].focus({ preventScroll: true });
  }

  complain(words) {
    this.more.querySelector(".said")?.remove();
    this.more.append(el("p", { class: "said" }, words));
    announce(words);
  }
}
