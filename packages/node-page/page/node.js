import { arrange, byId, element, setAttribute, setText } from './dom.js';
import { amount, duration, relativeTime } from './format.js';

/** Shows the node: its summary, conditions and resource usage. */
export function showNode(node) {
  document.title = `${node.verdict.level === 'bad' ? '⚠ ' : ''}${node.name}: ${node.verdict.text}`;
  setText(byId('node-name'), node.name);
  setText(byId('node-facts'), [node.runtime, node.cluster].filter(Boolean).join(' · '));
  const verdict = byId('verdict');
  setAttribute(verdict, 'data-level', node.verdict.level);
  setText(verdict, node.verdict.text);
  byId('conditions').replaceChildren(...node.conditions.map(conditionItem));
  showHealthLine(node);
  showPressure(node.pressure);
  showNextToGo(node.nextEvicted);
}

/** The first error and the usage of each resource, on one line. */
function showHealthLine({ conditions, pressure }) {
  const broken = conditions.find(({ level }) => level === 'bad');
  const state = element('span', {
    class: 'state',
    'data-level': broken ? 'bad' : 'ok',
    text: broken ? `${broken.name}: ${broken.text}` : 'good',
  });
  const worst = (level) => ['bad', 'warn'].indexOf(level) + 3 * Number(level === 'ok');
  const usages = [...pressure]
    .sort((a, b) => worst(a.level) - worst(b.level))
    .flatMap(({ name, usedPercent, level }) => [
      ' · ',
      element('span', { 'data-level': level, class: 'usage', text: `${name} ${Math.round(usedPercent)}\u00a0%` }),
    ]);
  byId('health-line').replaceChildren(state, ...usages);
}

function conditionItem({ name, level, text, until }) {
  const value = element('span', { class: 'value', text });
  if (until !== undefined) value.append('; ends ', relativeTime(until, 'until'), ' at the earliest');
  return element('li', { 'data-level': level }, element('span', { class: 'name', text: name }), ' ', value);
}

/** Bars by name and signals, reused so that they grow without flicker. */
const bars = new Map();

function showPressure(pressure) {
  const shown = pressure.map((each) => {
    const key = `${each.name} ${each.signals.join(' ')}`;
    const bar = bars.get(key) ?? createBar(each);
    bars.set(key, bar);
    bar.show(each);
    return bar.root;
  });
  arrange(byId('pressure'), shown);
}

function createBar({ name, signals }) {
  const fill = element('span', { class: 'fill' });
  const marks = element('span', { class: 'marks' });
  const meter = element('div', { class: 'meter', role: 'meter', 'aria-valuemin': '0', 'aria-valuemax': '100' }, fill, marks);
  const figures = element('span', { class: 'figures' });
  const limit = element('p', { class: 'limit' });
  const title = element('span', { class: 'name', text: name, title: signals.join(', ') });
  const root = element('div', { class: 'gauge' }, element('p', {}, title, ' ', figures), meter, limit);
  return {
    root,
    show({ unit, used, capacity, usedPercent, level, marks: thresholds }) {
      root.dataset.level = level;
      const inUse = `${amount(used, unit)} of ${amount(capacity, unit)}`;
      const limits = limitTexts(thresholds, unit);
      setText(figures, `${inUse} · ${usedPercent}\u00a0%`);
      setAttribute(meter, 'aria-label', `${name} usage`);
      setAttribute(meter, 'aria-valuenow', usedPercent);
      setAttribute(meter, 'aria-valuetext', `${inUse}, ${usedPercent} percent; evicts ${limits.join(', or ')}`);
      fill.style.width = `${usedPercent}%`;
      marks.replaceChildren(...thresholds.map((each) => markOf(each, unit)));
      limit.replaceChildren(...limits.map((text) => element('span', { text: `evicts ${text}` })));
      const first = Math.min(...thresholds.map(({ evictsAt = Number.POSITIVE_INFINITY }) => evictsAt));
      if (Number.isFinite(first)) limit.append(element('span', {}, 'met: evicts ', relativeTime(first, 'until')));
    },
  };
}

function markOf(threshold, unit) {
  const { percent, gracePeriodSeconds, signals } = threshold;
  const mark = element('span', {
    class: gracePeriodSeconds > 0 ? 'mark soft' : 'mark',
    title: `${signals.join(', ')}: evicts ${belowText(threshold, unit)}`,
  });
  mark.style.insetInlineStart = `${percent}%`;
  return mark;
}

/** `below 10.0 GiB free for 2 min`. */
function belowText({ left, gracePeriodSeconds }, unit) {
  return `below ${amount(left, unit)} free${gracePeriodSeconds > 0 ? ` for ${graceText(gracePeriodSeconds)}` : ''}`;
}

/** `below 15.0 GiB free (imagefs)`, with the signals if there are several thresholds. */
function limitTexts(thresholds, unit) {
  return thresholds.map((each) => {
    const which = [...new Set(each.signals.map((signal) => signal.split('.')[0]))].join(', ');
    return `${belowText(each, unit)}${thresholds.length > 1 && which !== 'memory' ? ` (${which})` : ''}`;
  });
}

const graceText = (seconds) => (seconds % 60 === 0 ? duration(seconds * 1000) : `${seconds} s`);

function showNextToGo(next) {
  const line = byId('next-evicted');
  line.hidden = next === undefined;
  if (next) line.replaceChildren('Next to be evicted: ', element('strong', { text: `${next.namespace}/${next.name}` }), `, ${next.reason}`);
}
