import { byId, element, setAttribute, setText } from './dom.js';
import { fullTime, timeOfDay } from './format.js';

const kinds = {
  sync: 'decisions',
  lifecycle: 'containers',
  probe: 'probes',
  status: 'statuses',
  config: 'sources',
  eviction: 'evictions',
  gc: 'clean-up',
  node: 'node',
  event: 'events',
};
const one = {
  sync: 'decision',
  lifecycle: 'container',
  probe: 'probe',
  status: 'status',
  config: 'source',
  eviction: 'eviction',
  gc: 'clean-up',
  node: 'node',
  event: 'event',
};
/** Maximum number of entries here; the node keeps fewer by default. */
const most = 2_000;
const ofNode = 'node';

/** The timeline, newest first. */
export function createTimeline() {
  const list = byId('entries');
  const podFilter = byId('timeline-pod');
  const pause = byId('timeline-pause');
  const items = new Map();
  const podNames = new Map();
  /** Entries received while the list is paused; undefined while it is not. */
  let held;
  const checks = Object.entries(kinds).map(([kind, text]) => [kind, element('input', { type: 'checkbox', name: kind, checked: '' }), text]);
  byId('timeline-kinds').append(...checks.map(([, box, text]) => element('label', { class: 'check' }, box, ` ${text}`)));

  const fits = ({ kind, pod }, shown) =>
    shown.has(kind) && (podFilter.value === '' || (podFilter.value === ofNode ? pod === undefined : pod?.uid === podFilter.value));
  const shownKinds = () => new Set(checks.filter(([, box]) => box.checked).map(([kind]) => kind));
  const count = () => {
    const shown = [...items.values()].filter(({ item }) => !item.hidden).length;
    setText(byId('timeline-count'), `${shown === items.size ? '' : `${shown} of `}${items.size}`);
    byId('timeline-none').hidden = shown > 0;
  };
  const filter = () => {
    const shown = shownKinds();
    for (const { entry, item } of items.values()) item.hidden = !fits(entry, shown);
    count();
  };
  const choose = (uid) => {
    podFilter.value = uid;
    filter();
  };
  const put = (entry, shown) => {
    items.get(entry.key)?.item.remove();
    items.delete(entry.key);
    if (entry.pod) addPod(entry.pod);
    const item = entryItem(entry, choose);
    item.hidden = !fits(entry, shown);
    items.set(entry.key, { entry, item });
    list.prepend(item);
    if (items.size > most) {
      const [oldest] = items;
      oldest[1].item.remove();
      items.delete(oldest[0]);
    }
  };
  const addPod = ({ uid, namespace, name }) => {
    if (podNames.has(uid)) return;
    podNames.set(uid, `${namespace}/${name}`);
    const option = element('option', { value: uid, text: `${namespace}/${name}` });
    const next = [...podFilter.options].slice(2).find((each) => each.text.localeCompare(option.text) > 0);
    podFilter.insertBefore(option, next ?? null);
  };

  // Focusable, for scrolling by keyboard.
  byId('timeline-scroll').tabIndex = 0;
  podFilter.append(element('option', { value: ofNode, text: 'the node itself' }));
  podFilter.addEventListener('change', filter);
  for (const [, box] of checks) box.addEventListener('change', filter);
  pause.addEventListener('click', () => {
    const waiting = held;
    held = waiting === undefined ? [] : undefined;
    setAttribute(pause, 'aria-pressed', held !== undefined);
    setText(pause, held === undefined ? 'Pause' : 'Resume');
    if (waiting) for (const entry of waiting) put(entry, shownKinds());
    count();
  });

  return {
    reset(entries) {
      items.clear();
      list.replaceChildren();
      const shown = shownKinds();
      for (const entry of entries) put(entry, shown);
      count();
    },
    add(entry) {
      if (held !== undefined) {
        held.push(entry);
        if (held.length > most) held.shift();
        return;
      }
      put(entry, shownKinds());
      count();
    },
    /** Shows the timeline of one pod. */
    showPod(pod) {
      addPod(pod);
      choose(pod.uid);
      podFilter.focus();
    },
  };
}

function entryItem({ time, kind, pod, text, warning, count, firstTime }, onPod) {
  const when = count > 1 ? `${count} times since ${fullTime(firstTime)}, last ${fullTime(time)}` : fullTime(time);
  return element(
    'li',
    { class: warning ? 'entry warning' : 'entry', 'data-kind': kind },
    element('time', { datetime: new Date(time).toISOString(), title: when, text: timeOfDay(time) }),
    element('span', { class: 'kind', text: one[kind] ?? kind }),
    element(
      'div',
      { class: 'what' },
      pod &&
        element('button', {
          type: 'button',
          class: 'pod',
          title: `only ${pod.namespace}/${pod.name}`,
          text: pod.name,
          on: { click: () => onPod(pod.uid) },
        }),
      pod && ' ',
      warning ? element('span', { class: 'hidden', text: 'Warning: ' }) : undefined,
      element('span', { class: 'text', text }),
      count > 1 ? element('span', { class: 'times', text: ` ×${count}` }) : undefined,
    ),
  );
}
