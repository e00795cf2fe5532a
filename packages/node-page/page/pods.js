import { arrange, byId, element, setAttribute, setText } from './dom.js';
import { amount, cores, relativeTime } from './format.js';
import { perFrame } from './frame.js';
import { onLink, readLink, writeLink } from './link.js';
import { createDetails } from './pod.js';

const order = ['bad', 'warn', 'busy', 'ending', 'ok', 'done'];
const byTrouble = (a, b) =>
  order.indexOf(a.health.level) - order.indexOf(b.health.level) || a.namespace.localeCompare(b.namespace) || a.name.localeCompare(b.name);

const nameOf = ({ namespace, name }) => `${namespace}/${name}`;

/** The table of pods; `onTimeline` is called with the pod whose timeline is requested. */
export function createPodsTable(onTimeline) {
  const pods = new Map();
  const rows = new Map();
  const filter = byId('pods-filter');
  const unhealthy = byId('pods-unhealthy');
  const body = byId('pod-rows');
  setTableRoles(body.closest('table'));

  const show = () => {
    const text = filter.value.trim().toLowerCase();
    const fits = (pod) =>
      nameOf(pod).toLowerCase().includes(text) && (!unhealthy.checked || pod.health.level === 'bad' || pod.health.level === 'warn');
    const shown = [...pods.values()].sort(byTrouble).filter(fits);
    arrange(
      body,
      shown.flatMap(({ uid }) => rows.get(uid).elements()),
    );
    setText(byId('pods-count'), shown.length === pods.size ? `${pods.size}` : `${shown.length} of ${pods.size}`);
    const none = byId('pods-none');
    none.hidden = shown.length > 0;
    setText(
      none,
      pods.size === 0 ? 'The node has no pods.' : unhealthy.checked && text === '' ? 'No pod is unhealthy.' : 'No pod matches.',
    );
  };
  const showSoon = perFrame(show);
  const change = () => {
    writeLink({ filter: filter.value.trim(), only: unhealthy.checked ? 'unhealthy' : '' });
    show();
  };
  filter.addEventListener('input', change);
  unhealthy.addEventListener('change', change);
  const follow = ({ filter: text = '', only, pod: name }) => {
    filter.value = text;
    unhealthy.checked = only === 'unhealthy';
    const linked = [...pods.values()].find((pod) => nameOf(pod) === name);
    if (linked) rows.get(linked.uid).open();
    show();
    if (linked) rows.get(linked.uid).scrollTo();
  };
  onLink(follow);
  listenToKeys({ filter, body, change });

  const put = (pod) => {
    pods.set(pod.uid, pod);
    const row = rows.get(pod.uid) ?? createRow(pod, show, onTimeline);
    rows.set(pod.uid, row);
    row.show(pod);
  };
  let isFirst = true;
  return {
    reset(all) {
      const uids = new Set(all.map(({ uid }) => uid));
      for (const uid of [...pods.keys()]) {
        if (uids.has(uid)) continue;
        pods.delete(uid);
        rows.delete(uid);
      }
      all.forEach(put);
      if (isFirst) follow(readLink());
      else show();
      isFirst = false;
    },
    put(pod) {
      put(pod);
      showSoon();
    },
    /** Shows a sample of the usage. */
    showUsage(usages) {
      body.closest('table').classList.add('measured');
      for (const [uid, row] of rows) row.showUsage(usages[uid]);
    },
    remove(uid) {
      rows.get(uid)?.close();
      pods.delete(uid);
      rows.delete(uid);
      showSoon();
    },
  };
}

/** `/` goes to the filter, the arrows from pod to pod, Enter opens a pod, Escape closes it, or leaves the filter. */
function listenToKeys({ filter, body, change }) {
  const isTyped = ({ tagName, type }) => tagName === 'TEXTAREA' || (tagName === 'INPUT' && type !== 'checkbox');
  const move = (by) => {
    const toggles = [...body.querySelectorAll('.toggle')];
    const at = toggles.indexOf(document.activeElement?.closest('tr')?.querySelector('.toggle'));
    toggles[at < 0 ? (by > 0 ? 0 : toggles.length - 1) : Math.min(toggles.length - 1, Math.max(0, at + by))]?.focus();
  };
  addEventListener('keydown', (event) => {
    const { key, target, altKey, ctrlKey, metaKey } = event;
    if (altKey || ctrlKey || metaKey || event.defaultPrevented) return;
    const inPods = body.contains(target) || target === filter || target === document.body || target.id === 'pods';
    if (key === '/' && !isTyped(target)) {
      event.preventDefault();
      filter.focus();
    } else if ((key === 'ArrowDown' || key === 'ArrowUp') && inPods && !target.closest('.details')) {
      event.preventDefault();
      move(key === 'ArrowDown' ? 1 : -1);
    } else if (key === 'Escape' && target === filter) {
      filter.value = '';
      change();
      body.querySelector('.toggle')?.focus();
    } else if (key === 'Escape' && body.contains(target)) {
      const row = target.closest('.details')?.previousElementSibling ?? target.closest('tr');
      const toggle = row.querySelector('.toggle');
      if (toggle.getAttribute('aria-expanded') === 'true') toggle.click();
      toggle.focus();
    }
  });
}

/** Keeps the table roles for screen readers where the style sheet makes blocks of its cells. */
function setTableRoles(table) {
  setAttribute(table, 'role', 'table');
  for (const group of [table.tHead, table.tBodies[0]]) setAttribute(group, 'role', 'rowgroup');
  for (const row of table.tHead.rows) {
    setAttribute(row, 'role', 'row');
    for (const cell of row.cells) setAttribute(cell, 'role', 'columnheader');
  }
}

function createRow({ uid, name, namespace }, onToggle, onTimeline) {
  let isOpen = false;
  const id = `details-${uid}`;
  const button = element(
    'button',
    { type: 'button', class: 'toggle', 'aria-expanded': 'false', 'aria-controls': id },
    element('span', { class: 'name', text: name }),
    ' ',
    element('span', { class: 'namespace', text: namespace }),
  );
  const why = element('div', { class: 'why' });
  const chip = element('span', { class: 'chip' });
  const cell = (attributes, ...children) => element('td', { role: 'cell', ...attributes }, ...children);
  const ready = cell({ class: 'number wide' });
  const restarts = cell({ class: 'number', 'data-label': 'Restarts ' });
  const cpu = cell({ class: 'number usage', 'data-label': 'CPU ' });
  const memory = cell({ class: 'number usage', 'data-label': 'Memory ' });
  const age = cell({ class: 'number wide' });
  const head = element('th', { scope: 'row', role: 'rowheader' }, button, why);
  const row = element('tr', { class: 'pod', role: 'row' }, head, cell({}, chip), ready, restarts, cpu, memory, age);
  const details = createDetails(id, () => onTimeline(uid));
  let shown;
  const setOpen = (open) => {
    isOpen = open;
    setAttribute(button, 'aria-expanded', open);
    if (open) details.show(shown);
    else details.close();
  };
  button.addEventListener('click', () => {
    setOpen(!isOpen);
    const link = nameOf(shown);
    if (isOpen) writeLink({ pod: link });
    else if (readLink().pod === link) writeLink({ pod: '' });
    onToggle();
  });
  return {
    close: () => details.close(),
    elements: () => (isOpen ? [row, details.root] : [row]),
    open: () => setOpen(true),
    scrollTo() {
      row.scrollIntoView({ block: 'nearest' });
      button.focus({ preventScroll: true });
    },
    showUsage(usage) {
      setText(cpu, usage?.cpu === undefined ? '' : cores(usage.cpu));
      setText(memory, usage?.memory === undefined ? '' : amount(usage.memory));
      if (isOpen) details.refresh();
    },
    show(pod) {
      const { health } = pod;
      shown = pod;
      row.dataset.level = health.level;
      chip.dataset.level = health.level;
      setText(chip, pod.status);
      why.replaceChildren(health.text);
      if (health.until !== undefined) why.append('; next retry ', relativeTime(health.until, 'until'));
      setText(ready, pod.ready.join('/'));
      setText(restarts, `${pod.restarts}`);
      restarts.classList.toggle('some', pod.restarts > 0);
      age.replaceChildren(pod.startedAt === undefined ? '–' : relativeTime(pod.startedAt, 'age'));
      if (isOpen) details.show(pod);
    },
  };
}
