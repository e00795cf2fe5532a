import { element } from './dom.js';
import { duration } from './format.js';

const svg = (tag, attributes) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};

/** A value over time as a line, with its name, its value now and its maximum; absent without a value. */
export function sparkline(name, times, values = [], format = String) {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return undefined;
  const [now, max] = [known.at(-1), Math.max(...known)];
  const over = duration(times.at(-1) - times[0]);
  const label = `${name}: ${format(now)} now, at most ${format(max)} in the last ${over}`;
  const drawing = svg('svg', { viewBox: '0 0 100 24', preserveAspectRatio: 'none', role: 'img', 'aria-label': label });
  drawing.append(svg('path', { d: pathOf(times, values, max), 'vector-effect': 'non-scaling-stroke' }));
  return element(
    'div',
    { class: 'chart' },
    element('p', {}, element('strong', { text: name }), ` ${format(now)}`),
    drawing,
    element('p', { class: 'message', text: known.length < 2 ? 'since now' : `at most ${format(max)} in ${over}` }),
  );
}

/** Unknown values are gaps. */
function pathOf(times, values, max) {
  const [first, width] = [times[0], Math.max(1, times.at(-1) - times[0])];
  let move = 'M';
  const parts = values.map((value, index) => {
    if (value === null) {
      move = 'M';
      return '';
    }
    const x = ((times[index] - first) / width) * 100;
    const part = `${move}${x.toFixed(1)} ${(23 - (value / (max || 1)) * 22).toFixed(1)}`;
    move = 'L';
    return part;
  });
  return parts.length === 1 ? `${parts[0]}H100` : parts.join('');
}
