/** The state of the page in its address, `#pod=NAMESPACE/NAME&show=problems`, so that a link shows the same. */

const listeners = new Set();

export function readLink() {
  return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

/** Changes parts of the state; empty ones are removed. Without an entry in the history: Back leaves the page. */
export function writeLink(changes) {
  const parts = new URLSearchParams(location.hash.slice(1));
  for (const [name, value] of Object.entries(changes)) value ? parts.set(name, value) : parts.delete(name);
  const text = parts.toString().replaceAll('%2F', '/');
  history.replaceState(null, '', text === '' ? location.pathname + location.search : `#${text}`);
}

/** Calls it when the user follows a link to another state. */
export function onLink(listener) {
  listeners.add(listener);
}

addEventListener('hashchange', () => {
  for (const listener of listeners) listener(readLink());
});
