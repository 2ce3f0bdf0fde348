/* ---- tenants ---- */

const ASKED = [(topic) => `What should I know about ${topic}?`, (topic) => `When would I use ${topic}?`, (topic) => `Explain ${topic} in a few sentences`];

function examples(topics) {
  const count = Math.min(5, topics.length);
  return Array.from({ length: count }, (_, i) => ASKED[i % ASKED.length](topics[Math.floor((i * topics.length) / count)]));
}

function welcome(tenant) {
  const count = tenant.documents === 1 ? "1 document" : `${tenant.documents.toLocaleString("en")} documents`;
  const lead = tenant.documents
    ? el("p", { class: "lead" }, "Ask about ", el("b", {}, tenant.title), `. Answers are made from ${count}, with the passage beside each claim. What they do not cover is not made up.`)
    : el("p", { class: "lead" }, "There are no documents for ", el("b", {}, tenant.title), " yet. Take some in with ", el("code", {}, "certcoach ingest"), ", then reload this page.");
  const asked = tenant.documents ? examples(tenant.topics) : [];
  const list = asked.map((text) => el("li", {}, el("button", { type: "button", onclick: () => { submit(text); ui.question.focus({ preventScroll: true }); } }, el("span", {}, text), icon("right"))));
  ui.welcome.setAttribute("aria-busy", "false");
  ui.welcome.replaceChildren(el("h2", {}, "What are you unsure about?"), lead,
    tenant.documents ? el("p", { class: "aside" }, "An answer carries numbers, like ", el("span", { class: "cite shown" }, "1"), ". Each one opens the passage it stands for, here in the margin, with the sentence marked and a link to the official page.") : "",
    ...(list.length ? [el("h3", {}, "For example"), el("ul", { class: "examples" }, ...list)] : []));
}

function choose(slug) {
  state.tenant = state.tenants.find((tenant) => tenant.slug === slug) ?? state.tenants[0];
  ui.tenant.value = state.tenant.slug;
  remembered.set("tenant", state.tenant.slug);
  const url = new URL(location.href);
  url.searchParams.set("tenant", state.tenant.slug);
  history.replaceState(null, "", url);
  document.title = `${state.tenant.title} · CertCoach`;
  welcome(state.tenant);
}

async function open() {
  ui.welcome.setAttribute("aria-busy", "true");
  ui.welcome.replaceChildren(el("p", { class: "status busy" }, el("span", {}, "Opening the books…")));
  try {
    state.tenants = await (await request("/v1/tenants")).json();
    if (!state.tenants.length) throw new Refused({ title: "Nothing to study yet", detail: "Add a tenant to sources.yaml and start CertCoach again." });
  } catch (error) { closed(error instanceof Refused ? error.problem : UNREACHABLE); return; }
  ui.tenant.replaceChildren(...state.tenants.map((tenant) => el("option", { value: tenant.slug }, tenant.title)));
  ui.tenant.closest(".picker").hidden = false;
  ui.composer.hidden = false;
  const asked = new URLSearchParams(location.search).get("tenant");
  choose(state.tenants.some(({ slug }) => slug === asked) ? asked : remembered.get("tenant"));
  measure();
  await recall();
  if (matchMedia("(hover: hover)").matches) ui.question.focus({ preventScroll: true });
}

function closed({ title, detail, status }) {
  ui.welcome.setAttribute("aria-busy", "false");
  ui.welcome.replaceChildren(el("h2", {}, title), el("p", { class: "lead" }, detail),
    el("p", { class: "told" }, el("button", { class: "press outline", type: "button", onclick: open }, status === 401 ? "Enter a key" : "Try again")));
  announce(`${title}. ${detail}`);
}

/* ---- the conversation outlives the page, as long as the tab ---- */

async function recall() {
  const found = await Promise.all(conversations.all().map(async ([slug, name]) => {
    try {
      const { exchanges } = await (await request(address(slug, name))).json();
      return exchanges.map((exchange) => ({ ...exchange, slug }));
    } catch (error) { if (error.problem?.status === 404) conversations.drop(slug); return []; }
  }));
  const entries = found.flat().sort((a, b) => (a.at < b.at ? -1 : 1)).map(({ slug, ...exchange }) => {
    const entry = new Entry(state.tenants.find((tenant) => tenant.slug === slug), exchange.asked);
    entry.recall(exchange);
    return entry;
  });
  if (!entries.length) return;
  const first = !ui.entries.children.length;
  show(entries, ui.entries.prepend);
  if (first) entries.at(-1).node.scrollIntoView({ block: "start" });
}

const address = (slug, name) => `/v1/conversations/${name}?tenant=${encodeURIComponent(slug)}`;

async function forget([slug, name]) {
  try { await request(address(slug, name), { method: "DELETE" }); } catch (error) { if (error.problem?.status !== 404) throw error; }
  conversations.drop(slug);
}

async function begin() {
  state.running?.abort();
  ui.fresh.disabled = true;
  try {
    await Promise.all(conversations.all().map(forget));
  } catch {
    trouble("The conversation could not be deleted on the server, so it stays here, too. Try again in a moment.");
    return;
  } finally {
    ui.fresh.disabled = false;
  }
  trouble("");
  ui.passage.close();
  ui.entries.replaceChildren();
  ui.fresh.hidden = true;
  ui.welcome.hidden = false;
  window.scrollTo(0, 0);
  ui.question.focus({ preventScroll: true });
}

function trouble(words) {
  ui.trouble.hidden = !words;
  ui.trouble.firstElementChild.textContent = words;
}

/* ---- the reader's hands ---- */

ui.tenant.addEventListener("change", () => choose(ui.tenant.value));
ui.fresh.addEventListener("click", begin);
ui.composer.addEventListener("submit", (event) => { event.preventDefault(); submitBox(); });
ui.question.addEventListener("input", measure);
ui.question.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  submitBox();
});
ui.stop.addEventListener("click", () => state.running?.abort());
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented) return;
  if (ui.passage.open) ui.passage.close(); else state.running?.abort();
});
const connection = () => { ui.offline.hidden = navigator.onLine; };
addEventListener("online", connection);
addEventListener("offline", connection);
connection();
open();
