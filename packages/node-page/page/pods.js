import { arrange, byId, element, setAttribute, setText } from './dom.js';
import { relativeTime } from './format.js';
import { perFrame } from './frame.js';
import { onLink, readLink, writeLink } from './link.js';

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
    remove(uid) {
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
  const age = cell({ class: 'number wide' });
  const head = element('th', { scope: 'row', role: 'rowheader' }, button, why);
  const row = element('tr', { class: 'pod', role: 'row' }, head, cell({}, chip), ready, restarts, age);
  const details = createDetails(id, () => onTimeline(uid));
  let shown;
  const setOpen = (open) => {
    isOpen = open;
    setAttribute(button, 'aria-expanded', open);
    if (open) details.show(shown);
  };
  button.addEventListener('click', () => {
    setOpen(!isOpen);
    const link = nameOf(shown);
    if (isOpen) writeLink({ pod: link });
    else if (readLink().pod === link) writeLink({ pod: '' });
    onToggle();
  });
  return {
    elements: () => (isOpen ? [row, details.root] : [row]),
    open: () => setOpen(true),
    scrollTo() {
      row.scrollIntoView({ block: 'nearest' });
      button.focus({ preventScroll: true });
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

function createDetails(id, onTimeline) {
  const facts = element('dl', { class: 'facts' });
  const rows = element('tbody', { role: 'rowgroup' });
  const head = ['Container', 'State', 'Restarts', 'Probes'].map((text) => element('th', { scope: 'col', role: 'columnheader', text }));
  const containers = element(
    'table',
    { class: 'containers', role: 'table' },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, ...head)),
    rows,
  );
  const button = element('button', { type: 'button', text: 'Show its timeline', on: { click: onTimeline } });
  const root = element(
    'tr',
    { class: 'details', id, role: 'row' },
    element('td', { colspan: '5', role: 'cell' }, facts, containers, button),
  );
  return {
    root,
    show(pod) {
      setAttribute(containers, 'aria-label', `Containers of ${pod.name}`);
      facts.replaceChildren(...podFacts(pod).flatMap(([term, ...value]) => [element('dt', { text: term }), element('dd', {}, ...value)]));
      rows.replaceChildren(...pod.containers.map(containerRow));
    },
  };
}

function podFacts({ phase, ip, isStatic, worker }) {
  const facts = [['Phase', isStatic ? `${phase}, static pod` : phase]];
  if (ip) facts.push(['Address', ip]);
  if (worker?.lastChange) facts.push(['Last change', relativeTime(worker.lastChange.at, 'ago'), `: ${worker.lastChange.text}`]);
  if (worker?.lastSyncAt) {
    const outcome = worker.lastError === undefined ? ', succeeded' : `, failed: ${worker.lastError}`;
    facts.push(['Last sync', relativeTime(worker.lastSyncAt, 'ago'), outcome]);
  }
  if (worker?.nextSyncAt) facts.push(['Next sync', relativeTime(worker.nextSyncAt, 'until')]);
  return facts;
}

/** A message; a long one is a line that unfolds. */
function messageOf(message, brief) {
  if (brief === undefined) return element('div', { class: 'message', text: message });
  return element('details', { class: 'message' }, element('summary', { text: brief }), element('p', { text: message }));
}

function containerRow({ name, kind, image, level, state, message, brief, since, restarts, last, assigned, probes }) {
  const stateCell = element('td', { role: 'cell' }, element('span', { class: 'state', 'data-level': level, text: state }));
  if (since !== undefined)
    stateCell.append(' ', state === 'running' ? 'for ' : '', relativeTime(since, state === 'running' ? 'age' : 'ago'));
  if (message) stateCell.append(messageOf(message, brief));
  const restartCell = element('td', { role: 'cell', 'data-label': 'Restarts ', text: `${restarts}` });
  if (last) restartCell.append(element('div', { class: 'message' }, `last ${last.text} `, last.at ? relativeTime(last.at, 'ago') : ''));
  return element(
    'tr',
    { role: 'row' },
    element(
      'th',
      { scope: 'row', role: 'rowheader' },
      element('span', { class: 'name', text: name }),
      kind === 'container' ? '' : element('span', { class: 'kind', text: ` ${kind}` }),
      element('div', { class: 'image' }, ...breakable(image)),
      ...assigned.map((text) => element('div', { class: 'image', text })),
    ),
    stateCell,
    restartCell,
    element(
      'td',
      { role: 'cell', 'data-label': 'Probes ' },
      ...(probes.length > 0 ? [element('ul', { class: 'probes' }, ...probes.map(probeItem))] : ['none']),
    ),
  );
}

/** An image's name with line break opportunities after `/`, `:`, `@`. */
const breakable = (image) => image.split(/(?<=[/:@])/).flatMap((part) => [part, element('wbr')]);

const probeWords = { Success: 'succeeds', Failure: 'fails', Unknown: 'no result yet' };

function probeItem({ type, how, result = 'Unknown' }) {
  const level = { Success: 'ok', Failure: 'bad', Unknown: 'busy' }[result];
  const outcome = element('span', { class: 'state', 'data-level': level, text: probeWords[result] });
  return element('li', {}, `${type} `, outcome, element('div', { class: 'message', text: how }));
}
