/* ---- the parts of the page, and what it knows ---- */

const MAX_QUESTION = 20000;
const MAX_COMMENT = 2000;
const $ = (id) => document.getElementById(id);
const ui = { welcome: $("welcome"), entries: $("entries"), composer: $("composer"), question: $("question"), hint: $("hint"), ask: $("ask"),
  stop: $("stop"), tenant: $("tenant"), fresh: $("fresh"), offline: $("offline"), trouble: $("trouble"), passage: $("passage"),
  door: $("door"), key: $("key"), announcer: $("announcer") };
const state = { tenants: [], tenant: null, running: null, count: 0, opener: null };

/* What is remembered: a choice for good, the key and the conversations until the tab is closed. Private windows may forbid it. */
class Memory {
  constructor(storage) { this.storage = storage; this.spare = new Map(); }
  get(name) { try { return this.storage().getItem("certcoach." + name); } catch { return this.spare.get(name) ?? null; } }
  set(name, value) { try { this.storage().setItem("certcoach." + name, value); } catch { this.spare.set(name, value); } }
  remove(name) { try { this.storage().removeItem("certcoach." + name); } catch { this.spare.delete(name); } }
}
const remembered = new Memory(() => localStorage);
const tab = new Memory(() => sessionStorage);

const conversations = {
  of: (slug) => tab.get("conversation." + slug),
  keep: (slug, name) => tab.set("conversation." + slug, name),
  drop: (slug) => tab.remove("conversation." + slug),
  all: () => state.tenants.map(({ slug }) => [slug, conversations.of(slug)]).filter(([, name]) => name),
};
