import { access } from './access.js';
import { sparkline } from './chart.js';
import { claimItem } from './devices.js';
import { element, setAttribute, setText } from './dom.js';
import { amount, cores, relativeTime } from './format.js';
import { createLogs } from './logs.js';
import { section } from './section.js';
import { createTerminals } from './terminals.js';

/** The details of an open pod, a row of the table; what the stream does not have is read when the pod opens and changes. */
export function createDetails(id, onTimeline) {
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
  const why = element('p', { class: 'explanation' });
  const charts = element('div', { class: 'charts' });
  const terminals = createTerminals();
  const sections = { events: section('Events'), volumes: section('Volumes'), claims: section('Claims'), yaml: section('YAML') };
  const root = element(
    'tr',
    { class: 'details', id, role: 'row' },
    element(
      'td',
      { colspan: '7', role: 'cell' },
      why,
      facts,
      charts,
      containers,
      element('div', { class: 'bar' }, button, terminals.buttons),
      terminals.place,
      ...Object.values(sections).map(({ root: each }) => each),
    ),
  );
  let logs;
  let shown;
  let isReading = false;
  let read;
  const showRead = () => {
    if (read === undefined) return;
    const { explanation, history, events, volumes, claims, manifest } = read;
    setText(why, explanation);
    charts.replaceChildren(...chartsOf(history));
    sections.events.show(events.length, () => events.map(eventItem));
    sections.volumes.show(volumes.length, () => volumes.map(volumeItem));
    sections.claims.show(claims.length, () => claims.map((claim) => claimItem(claim)));
    sections.yaml.show(undefined, () => [element('pre', { text: manifest, tabindex: '0' })]);
  };
  /** At most one request at a time. */
  const refresh = async () => {
    if (isReading) return;
    isReading = true;
    try {
      const answer = await fetch(`pod?uid=${encodeURIComponent(shown.uid)}`, { cache: 'no-store' });
      if (answer.ok) read = await answer.json();
    } catch {
      // The stream shows that the agent is unreachable.
    } finally {
      isReading = false;
    }
    showRead();
    rows.replaceChildren(...shown.containers.map((each) => containerRow(each, read?.containers[each.name])));
  };
  return {
    root,
    /** Ends the stream of logs and the terminal. */
    close() {
      terminals.close();
      if (logs) logs.root.open = false;
    },
    refresh: () => void refresh(),
    show(pod) {
      shown = pod;
      if (access.logs && logs === undefined) {
        logs = createLogs(pod);
        terminals.place.after(logs.root);
      }
      if (access.exec) terminals.show(pod);
      setAttribute(containers, 'aria-label', `Containers of ${pod.name}`);
      facts.replaceChildren(
        ...podFacts(pod, read?.qosClass).flatMap(([term, ...value]) => [element('dt', { text: term }), element('dd', {}, ...value)]),
      );
      rows.replaceChildren(...pod.containers.map((each) => containerRow(each, read?.containers[each.name])));
      void refresh();
    },
  };
}

function chartsOf({ times, values }) {
  const charts = [
    sparkline('CPU', times, values.cpu, cores),
    sparkline('Memory', times, values.memory, amount),
    values.restarts?.some((count) => count > 0) ? sparkline('Restarts', times, values.restarts) : undefined,
  ];
  return charts.filter((each) => each !== undefined);
}

function eventItem({ at, count, warning, text }) {
  return element(
    'p',
    { class: 'event', 'data-severity': warning ? 'warning' : 'info' },
    element('span', { class: 'what' }, warning ? element('span', { class: 'hidden', text: 'Warning: ' }) : '', text),
    element('span', { class: 'message' }, count > 1 ? ` ×${count} ` : ' ', relativeTime(at, 'ago')),
  );
}

const volumeItem = ({ name, source, mounts }) =>
  element(
    'p',
    {},
    element('span', { class: 'name', text: name }),
    ` ${source}`,
    element('span', { class: 'message', text: mounts.length > 0 ? ` at ${mounts.join(', ')}` : ' not mounted' }),
  );

function podFacts({ phase, ip, isStatic, worker }, qosClass) {
  const facts = [['Phase', isStatic ? `${phase}, static pod` : phase]];
  if (qosClass) facts.push(['QoS class', qosClass]);
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

function containerRow({ name, kind, image, level, state, message, brief, since, restarts, last, assigned, probes }, usage) {
  const stateCell = element('td', { role: 'cell' }, element('span', { class: 'state', 'data-level': level, text: state }));
  if (since !== undefined)
    stateCell.append(' ', state === 'running' ? 'for ' : '', relativeTime(since, state === 'running' ? 'age' : 'ago'));
  if (message) stateCell.append(messageOf(message, brief));
  if (usage?.cpu !== undefined || usage?.memory !== undefined) {
    const parts = [usage.cpu === undefined ? '' : `${cores(usage.cpu)} CPU`, usage.memory === undefined ? '' : amount(usage.memory)];
    stateCell.append(element('div', { class: 'message', text: parts.filter(Boolean).join(', ') }));
  }
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
