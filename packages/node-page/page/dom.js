/** Creates elements without markup in strings: data of the node becomes text only. */

export const byId = (id) => document.getElementById(id);

/** An element with properties (`class`, `text`, attributes, `on` for listeners) and children; empty ones are omitted. */
export function element(tag, { text, on = {}, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
  for (const [type, listener] of Object.entries(on)) made.addEventListener(type, listener);
  if (text !== undefined) made.textContent = text;
  made.append(...children.filter((child) => child !== undefined && child !== ''));
  return made;
}

/** Sets the text only if it differs, so that screen readers announce only changes. */
export function setText(target, text) {
  if (target.textContent !== text) target.textContent = text;
}

export function setAttribute(target, name, value) {
  if (value === undefined) target.removeAttribute(name);
  else if (target.getAttribute(name) !== `${value}`) target.setAttribute(name, value);
}

/** Arranges the children in this order, reuses existing ones, and keeps the focus. */
export function arrange(parent, children) {
  const focused = document.activeElement;
  const wanted = new Set(children);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  let next = parent.firstElementChild;
  for (const child of children) {
    if (child === next) next = next.nextElementSibling;
    else parent.insertBefore(child, next);
  }
  if (focused !== document.activeElement && parent.contains(focused)) focused.focus({ preventScroll: true });
}
