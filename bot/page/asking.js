/* ---- asking ---- */

async function converse(entry, signal) {
  const conversation = conversations.of(entry.tenant.slug);
  const body = { tenant: entry.tenant.slug, question: entry.question, ...(conversation ? { conversation } : {}) };
  const response = await request("/v1/ask", { method: "POST", accept: "text/event-stream", body, signal });
  for await (const { name, data } of events(response)) {
    if (name === "delta") entry.add(data.text);
    else if (name === "restart") entry.wait("Starting over, to get it right…");
    else if (name === "error") throw new Refused(data);
    else if (name === "answer") {
      conversations.keep(entry.tenant.slug, data.conversation);
      entry.tell(entry.finish(data));
      return;
    }
  }
  throw new TypeError("The stream ended early");
}

async function run(entry) {
  const controller = new AbortController();
  setRunning(controller);
  entry.wait("Reading the documents…");
  try {
    await converse(entry, controller.signal);
  } catch (error) {
    if (controller.signal.aborted) entry.stopped();
    else if (error instanceof Refused) entry.fail(error.problem.title, error.problem.detail, error.problem.reference);
    else if (!navigator.onLine) entry.fail("You are offline", "Your question is kept here. Try again once you are connected.");
    else if (entry.text) entry.fail("The answer broke off", "The connection was lost on the way. Nothing of it is shown, because it was not complete.");
    else entry.fail(UNREACHABLE.title, UNREACHABLE.detail);
  } finally {
    setRunning(null);
  }
}

function setRunning(controller) {
  const focused = document.activeElement === ui.stop;
  state.running = controller;
  ui.ask.hidden = Boolean(controller);
  ui.stop.hidden = !controller;
  if (focused && !controller) ui.question.focus();
}

function show(entries, add) {
  add.call(ui.entries, ...entries.map(({ node }) => node));
  ui.entries.classList.toggle("mixed", new Set([...ui.entries.children].map(({ dataset }) => dataset.tenant)).size > 1);
  ui.welcome.hidden = true;
  ui.fresh.hidden = false;
}

function submit(question) {
  const text = question.trim();
  if (state.running || !state.tenant) return;
  if (!text || [...text].length > MAX_QUESTION) { ui.question.focus(); return; }
  const entry = new Entry(state.tenant, text);
  show([entry], ui.entries.append);
  if (ui.passage.open) { state.opener = null; ui.passage.close(); }
  run(entry);
  entry.node.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
}

function submitBox() {
  const text = ui.question.value;
  if (state.running || !text.trim() || [...text.trim()].length > MAX_QUESTION) { ui.question.focus(); return; }
  ui.question.value = "";
  measure();
  submit(text);
  if (matchMedia("(hover: none)").matches) ui.question.blur(); else ui.question.focus();
}

function measure() {
  if (!CSS.supports("field-sizing", "content")) {
    ui.question.style.height = "auto";
    ui.question.style.height = `${ui.question.scrollHeight}px`;
  }
  const length = ui.question.value.length > MAX_QUESTION * 0.9 ? [...ui.question.value.trim()].length : 0;
  const over = length > MAX_QUESTION;
  ui.hint.classList.toggle("over", over);
  ui.hint.replaceChildren(length ? `${length.toLocaleString("en")} of ${MAX_QUESTION.toLocaleString("en")} characters${over ? ": shorten it to ask" : ""}` : el("span", { class: "keys" }, "Enter asks, Shift + Enter starts a new line"));
}
