import { byId, element, setAttribute, setText } from '../page/dom.js';
import { fullTime, nodeNow, refreshTimes, relativeTime, setNodeTime } from '../page/format.js';
import { onLink, readLink, writeLink } from '../page/link.js';
import { createTimeline } from '../page/timeline.js';
import { ClusterPanel } from './cluster-panel.ts';
import { followPod } from './follow-pod.js';

const timeline = createTimeline({ initially: 'problems' });
const filter = element('input', {
  ...{ id: 'pods-filter', type: 'search', autocomplete: 'off', spellcheck: 'false', placeholder: 'Filter ( / )' },
  ...{ 'aria-label': 'Filter pods by name, namespace or node', 'aria-keyshortcuts': '/' },
});
const unhealthy = element('input', { id: 'pods-unhealthy', type: 'checkbox' });
const check = element('label', { class: 'check' }, unhealthy, ' only unhealthy');
const pod = followPod((details) => panel.update({ details }));
let isFollowing = false;
const panel = new ClusterPanel(
  {
    onTimeline: (selected) => timeline.showPod(selected),
    timeOf: (at) => relativeTime(at, 'ago'),
    onSelect(selected) {
      if (isFollowing) writeLink({ pod: selected ? `${selected.namespace}/${selected.name}` : '' });
      pod.follow(selected);
    },
  },
  filter,
  check,
);
panel.element.classList.add('panel');
byId('columns').prepend(panel.element);

/** Ids of the pods that are shown. */
const shown = new Set();
let speed = 1;
/** What is announced to screen readers when it changes, not when the page opens. */
let verdict;

function putFrame(frame) {
  setNodeTime(frame.now, speed);
  for (const id of frame.removed ?? []) shown.delete(id);
  for (const { id } of frame.pods ?? []) shown.add(id);
  panel.update(frame);
  if (frame.verdict) putVerdict(frame.verdict);
  const selected = panel.selected?.id;
  if (frame.pods?.some(({ id }) => id === selected)) pod.refresh();
}

const tones = { good: 'ok', waiting: 'busy' };

function putVerdict({ level, text }) {
  if (verdict !== undefined && verdict !== text) setText(byId('announce'), text);
  verdict = text;
  document.title = `${level === 'bad' ? '⚠ ' : ''}Simulated cluster: ${text}`;
  setAttribute(byId('verdict'), 'data-level', tones[level] ?? level);
  setText(byId('verdict'), text);
}

/** The state takes the place of what is shown: after a long interruption there is no stream of changes. */
function putState(state) {
  speed = state.speed;
  const ids = new Set(state.pods.map(({ id }) => id));
  putFrame({ ...state, removed: [...shown].filter((id) => !ids.has(id)) });
  timeline.reset(state.timeline);
  if (!isFollowing) followLink(readLink());
  isFollowing = true;
}

const showFilter = () => panel.filter({ text: filter.value.trim().toLowerCase(), onlyUnhealthy: unhealthy.checked });

function change() {
  writeLink({ filter: filter.value.trim(), only: unhealthy.checked ? 'unhealthy' : '' });
  showFilter();
}

function followLink({ filter: text = '', only, pod: name = '' }) {
  filter.value = text;
  unhealthy.checked = only === 'unhealthy';
  showFilter();
  if (name !== '') panel.open(...name.split('/'));
}

function setConnection(state, text) {
  setAttribute(byId('connection'), 'data-state', state);
  setText(byId('connection'), text);
}

/** Follows the cluster; the browser reconnects after a failure and resumes after the last change. */
function follow(after) {
  const events = new EventSource(`events?after=${encodeURIComponent(after)}`);
  const on = (type, take) => events.addEventListener(type, ({ data }) => take(JSON.parse(data)));
  on('state', putState);
  on('frame', putFrame);
  on('entry', timeline.add);
  events.onopen = () => setConnection('live', 'live');
  events.onerror = () => {
    setConnection('lost', 'not connected; data may be outdated');
    // The browser does not reconnect after an error status.
    if (events.readyState === EventSource.CLOSED) setTimeout(begin, 5_000);
  };
}

async function begin() {
  try {
    const answer = await fetch('state', { cache: 'no-store' });
    if (!answer.ok) throw new Error(`${answer.status}`);
    const state = await answer.json();
    putState(state);
    follow(state.id);
  } catch {
    setConnection('lost', 'the cluster is unreachable');
    setTimeout(begin, 5_000);
  }
}

function tick() {
  refreshTimes();
  const pace = speed === 1 ? '' : `, ${speed} times as fast as real time`;
  if (verdict !== undefined) setText(byId('clock'), `${fullTime(nodeNow())}${pace}`);
}

filter.addEventListener('input', change);
unhealthy.addEventListener('change', change);
onLink(followLink);
addEventListener('keydown', (event) => {
  const { key, target, altKey, ctrlKey, metaKey } = event;
  if (altKey || ctrlKey || metaKey || event.defaultPrevented) return;
  if (key === '/' && target.tagName !== 'INPUT') {
    event.preventDefault();
    filter.focus();
  } else if (target === filter && (key === 'Escape' || key === 'ArrowDown')) {
    event.preventDefault();
    if (key === 'Escape') filter.value = '';
    if (key === 'Escape') change();
    panel.focus();
  }
});
document.querySelector('.skip').addEventListener('click', (event) => {
  // The address keeps the state of the page.
  event.preventDefault();
  byId('timeline').focus();
});
setInterval(tick, 1_000);
void begin();
