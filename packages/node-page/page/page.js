import { readAccess } from './access.js';
import { byId, setAttribute, setText } from './dom.js';
import { refreshTimes, setNodeTime } from './format.js';
import { showNode } from './node.js';
import { createNodeDetails } from './node-details.js';
import { createPodsTable } from './pods.js';
import { createTimeline } from './timeline.js';

const timeline = createTimeline();
const nodeDetails = createNodeDetails();
const podNames = new Map();
const pods = createPodsTable((uid) => timeline.showPod(podNames.get(uid)));
let verdict;

const putNode = (node) => {
  // Announced to screen readers when it changes, not when the page opens.
  if (verdict !== undefined && verdict !== node.verdict.text) setText(byId('announce'), node.verdict.text);
  verdict = node.verdict.text;
  showNode(node);
};
const putState = (state) => {
  setNodeTime(state.now);
  podNames.clear();
  for (const pod of state.pods) podNames.set(pod.uid, pod);
  putNode(state.node);
  pods.reset(state.pods);
  if (state.usage) pods.showUsage(state.usage.pods);
  timeline.reset(state.timeline);
  nodeDetails.refresh();
};
const setConnection = (state, text) => {
  const connection = byId('connection');
  setAttribute(connection, 'data-state', state);
  setText(connection, text);
};

/** Follows the node; the browser reconnects after a failure and resumes after the last change. */
function follow(after) {
  const events = new EventSource(`events?after=${encodeURIComponent(after)}`);
  const on = (type, take) => events.addEventListener(type, ({ data }) => take(JSON.parse(data)));
  on('state', putState);
  on('node', putNode);
  on('pod', (pod) => {
    podNames.set(pod.uid, pod);
    pods.put(pod);
  });
  on('removed', (uid) => pods.remove(uid));
  on('usage', (usage) => {
    pods.showUsage(usage.pods);
    nodeDetails.refresh();
  });
  on('entry', (entry) => timeline.add(entry));
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
    await readAccess();
    putState(state);
    follow(state.id);
  } catch {
    setConnection('lost', 'the agent is unreachable');
    setTimeout(begin, 5_000);
  }
}

document.querySelector('.skip').addEventListener('click', (event) => {
  // The address keeps the state of the page.
  event.preventDefault();
  byId('pods').focus();
});
setInterval(refreshTimes, 1_000);
void begin();
