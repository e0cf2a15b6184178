// Elements without markup: all text goes through textContent, so a title can never become code.

const HANDLERS = ["onclick", "onchange", "oninput", "onsubmit", "onkeydown", "onblur", "ontoggle"];
const SVG = "http://www.w3.org/2000/svg";

/** Text as it is shown: control characters and those that turn the writing direction become visible. */
export function shown(text) {
  return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    c => `[U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}]`)
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

/** An element with attributes, event handlers (`onclick` and its kind) and children; null and false are left out. */
export function h(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (HANDLERS.includes(name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  if (props?.value !== undefined && "value" in element && tag !== "li") element.value = props.value ?? "";
  if (props?.checked !== undefined) element.checked = !!props.checked;
  add(element, children);
  if (tag === "select" && props?.value !== undefined) element.value = props.value ?? "";
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(shown(child)));
  }
}

export function svg(tag, props, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props ?? {})) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const key = node => node.nodeType === 1 ? node.getAttribute("data-key") : null;
/** What a node without `data-key` is among its siblings. Only nodes of one kind become each other. */
const kind = node => node.nodeType === 1 ? `${node.nodeName} ${node.getAttribute("data-action") ?? (node.id || (node.classList[0] ?? ""))}` : node.nodeName;

/** Makes `from` equal to `to` with as few changes as possible, so that focus, caret and scrolling stay. */
export function morph(from, to) {
  if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName || key(from) !== key(to)) return from.replaceWith(to);
  if (from.nodeType !== 1) {
    if (from.nodeValue !== to.nodeValue) from.nodeValue = to.nodeValue;
    return;
  }
  morphAttributes(from, to);
  morphChildren(from, to);
}

function morphAttributes(from, to) {
  const before = from.getAttribute("value"), after = to.getAttribute("value");
  for (const { name } of [...from.attributes]) {
    if (!to.hasAttribute(name) && !(name === "open" && from.nodeName === "DETAILS")) from.removeAttribute(name);
  }
  for (const { name, value } of [...to.attributes]) if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  for (const name of HANDLERS) if (from[name] !== to[name]) from[name] = to[name];
  if ("checked" in from && from.checked !== to.checked) from.checked = to.checked;
  if ("value" in from && before !== after && after !== null && document.activeElement !== from) from.value = after;
}

/**
 * Gives `parent` the children of `wanted`. Those with the same `data-key` are kept, whatever their order, and the others if there
 * is one of their kind in the same order: what is inserted before a button leaves it the button that it is.
 */
export function morphChildren(parent, wanted) {
  const keyed = new Map();
  for (const child of parent.childNodes) if (key(child) !== null) keyed.set(key(child), child);
  let place = parent.firstChild;
  const nodes = [...wanted.childNodes];
  for (const [index, next] of nodes.entries()) {
    const same = key(next) === null ? null : keyed.get(key(next));
    if (!same) while (place && isGone(place, nodes.slice(index))) place = removed(place);
    if (same && same !== place) {
      // What has the focus is not moved: the others are moved around it.
      if (place?.contains(document.activeElement) || !same.contains(document.activeElement)) parent.insertBefore(same, place);
      else while (place && place !== same) place = removed(place);
    }
    if (same) {
      place = same.nextSibling;
      morph(same, next);
    } else if (place && key(place) === null && key(next) === null && kind(place) === kind(next)) {
      const current = place;
      place = place.nextSibling;
      morph(current, next);
    } else {
      parent.insertBefore(next, place);
    }
  }
  while (place) place = removed(place);
}

/** Whether a node without a key is of no kind that is still wanted. */
const isGone = (node, wanted) => key(node) === null && !wanted.some(next => key(next) === null && kind(next) === kind(node));

function removed(node) {
  const next = node.nextSibling;
  node.remove();
  return next;
}
