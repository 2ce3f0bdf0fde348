/* ---- elements: text goes in as text nodes, never as HTML ---- */

function el(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", "#" + name);
  svg.append(use);
  return svg;
}

function webAddress(text) {
  try {
    const url = new URL(text);
    return url.protocol === "https:" || url.protocol === "http:" ? url : null;
  } catch { return null; }
}

function link(address, ...children) {
  const url = webAddress(address);
  return url ? el("a", { href: url.href, target: "_blank", rel: "noopener noreferrer" }, ...children) : el("span", {}, ...children);
}

function announce(text) {
  ui.announcer.textContent = "";
  requestAnimationFrame(() => { ui.announcer.textContent = text; });
}
