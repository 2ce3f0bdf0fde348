/* ---- the passage beside the answer ---- */

const wide = matchMedia("(min-width: 74rem)");

function showPassage(answer, citation, opener, used) {
  const source = answer.sources[citation.source];
  const card = passageCard(citation, source);
  if (state.opener) state.opener.setAttribute("aria-expanded", "false");
  ui.passage.replaceChildren(card);
  state.opener = opener;
  opener.setAttribute("aria-expanded", "true");
  if (!ui.passage.open) wide.matches ? ui.passage.show() : ui.passage.showModal();
  const spots = used.map((sentence) => mark(card.querySelector(".evidence"), sentence)).filter(Boolean);
  ui.passage.scrollTop = 0;
  spots[0]?.scrollIntoView({ block: "center" });
  if (ui.passage.scrollTop < 160) ui.passage.scrollTop = 0;
  $("passage-title").focus({ preventScroll: true });
}

function passageCard(citation, source) {
  const path = source.heading.split(" > ").filter((part, i) => i > 0 || part !== source.title);
  const url = webAddress(citation.url || source.url);
  return el("div", { class: "card" },
    el("div", { class: "bar" }, el("b", {}, String(citation.number)), el("span", {}, source.citation),
      el("button", { class: "quiet", type: "button", onclick: () => ui.passage.close() }, icon("close"), "Close")),
    el("h2", { id: "passage-title", tabindex: "-1" }, el("span", { class: "unseen" }, `Source ${citation.number}: `), source.title),
    path.length ? el("p", { class: "path" }, path.join(" › ")) : null,
    el("p", { class: "facts" }, url ? link(url.href, `Read it on ${url.host}`) : null, source.dated ? el("span", {}, "Checked ", el("time", { datetime: source.dated }, day(source.dated))) : null),
    neighbour("The text before it", source.before),
    el("div", { class: "prose evidence" }, markdown(source.text)),
    neighbour("The text after it", source.after));
}

function neighbour(label, text) {
  return text.trim() ? el("details", {}, el("summary", {}, label), el("div", { class: "prose" }, markdown(text))) : null;
}

function day(iso) {
  const date = new Date(iso.slice(0, 10) + "T12:00:00Z");
  return Number.isNaN(date.valueOf()) ? iso : date.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}

ui.passage.addEventListener("close", () => {
  const opener = state.opener;
  state.opener = null;
  if (!opener) return;
  opener.setAttribute("aria-expanded", "false");
  if (opener.isConnected) opener.focus({ preventScroll: true });
});
ui.passage.addEventListener("click", (event) => { if (event.target === ui.passage && !wide.matches) ui.passage.close(); });
wide.addEventListener("change", () => {
  if (!ui.passage.open) return;
  const opener = state.opener;
  state.opener = null;
  ui.passage.close();
  state.opener = opener;
  wide.matches ? ui.passage.show() : ui.passage.showModal();
});
