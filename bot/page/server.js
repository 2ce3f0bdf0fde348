/* ---- talking to the server, which may ask for a key ---- */

class Refused extends Error { constructor(problem) { super(problem.title); this.problem = problem; } }

const UNREACHABLE = { title: "CertCoach cannot be reached", detail: "The server did not answer. Check that it runs, then try again." };

async function problemOf(response) {
  try { return await response.json(); } catch { return { status: response.status, title: "The server answered strangely", detail: `Status ${response.status}. Try again in a moment.` }; }
}

async function request(path, { method = "GET", accept = "application/json", body = null, signal = null } = {}) {
  for (;;) {
    const key = tab.get("key");
    const headers = { Accept: accept, ...(body ? { "Content-Type": "application/json" } : {}), ...(key ? { Authorization: `Bearer ${key}` } : {}) };
    const response = await fetch(path, { method, headers, signal, cache: "no-store", body: body && JSON.stringify(body) });
    if (response.ok) return response;
    const problem = await problemOf(response);
    if (response.status !== 401) throw new Refused(problem);
    if (!(await admitted(key))) throw new Refused({ ...problem, detail: "Whoever runs this server gives you one." });
  }
}

/* Whether there is a key to try next: another request may have brought one, or the reader enters it. */
async function admitted(tried) {
  if (tab.get("key") !== tried) return true;
  tab.remove("key");
  if (!ui.door.open) {
    $("wrong").hidden = !tried;
    ui.door.showModal();
  }
  await new Promise((closed) => ui.door.addEventListener("close", closed, { once: true }));
  return Boolean(tab.get("key"));
}

$("keyhole").addEventListener("submit", (event) => {
  event.preventDefault();
  tab.set("key", ui.key.value.trim());
  ui.key.value = "";
  ui.door.close();
});
$("later").addEventListener("click", () => ui.door.close());

async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split(/\r?\n\r?\n/);
    rest = parts.pop();
    for (const part of parts) {
      const lines = part.split(/\r?\n/);
      const field = (name) => lines.filter((line) => line.startsWith(name + ":")).map((line) => line.slice(name.length + 1).replace(/^ /, ""));
      const data = field("data").join("\n");
      if (data) yield { name: field("event")[0] ?? "message", data: JSON.parse(data) };
    }
  }
}
