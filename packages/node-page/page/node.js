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
  showPressure(node.pressure);
  showNextToGo(node.nextEvicted);
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
      const limits = limitText(thresholds, signals, unit);
      setText(figures, `${inUse} · ${usedPercent}\u00a0%`);
      setAttribute(meter, 'aria-label', `${name} usage`);
      setAttribute(meter, 'aria-valuenow', usedPercent);
      setAttribute(meter, 'aria-valuetext', `${inUse}, ${usedPercent} percent; ${limits}`);
      fill.style.width = `${usedPercent}%`;
      marks.replaceChildren(...thresholds.map(markOf));
      limit.replaceChildren(limits);
      const first = Math.min(...thresholds.map(({ evictsAt = Number.POSITIVE_INFINITY }) => evictsAt));
      if (Number.isFinite(first)) limit.append('. Met: evicts ', relativeTime(first, 'until'));
    },
  };
}

function markOf({ percent, gracePeriodSeconds }) {
  const mark = element('span', { class: gracePeriodSeconds > 0 ? 'mark soft' : 'mark' });
  mark.style.insetInlineStart = `${percent}%`;
  return mark;
}

/** `evicts below 10.0 GiB free (nodefs), or below 15.0 GiB (imagefs)`; with the signal if the bar has several. */
function limitText(thresholds, signals, unit) {
  const limits = thresholds.map(({ left, signal, gracePeriodSeconds }, index) => {
    const grace = gracePeriodSeconds > 0 ? ` for ${graceText(gracePeriodSeconds)}` : '';
    const which = signals.length > 1 ? ` (${signal.split('.')[0]})` : '';
    return `below ${amount(left, unit)}${index === 0 ? ' free' : ''}${grace}${which}`;
  });
  return `evicts ${limits.join(', or ')}`;
}

const graceText = (seconds) => (seconds % 60 === 0 ? duration(seconds * 1000) : `${seconds} s`);

function showNextToGo(next) {
  const line = byId('next-evicted');
  line.hidden = next === undefined;
  if (next) line.replaceChildren('Next to be evicted: ', element('strong', { text: `${next.namespace}/${next.name}` }), `, ${next.reason}`);
}
