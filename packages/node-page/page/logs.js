import { element, setText } from './dom.js';
import { perFrame } from './frame.js';

/** Maximum number of lines in the page. */
const maxLines = 2_000;

/** The logs of the containers of a pod: they follow, or are those of the previous instance. Nothing is read until they open. */
export function createLogs({ namespace, name, containers }) {
  const select = element('select', { 'aria-label': 'Container' }, ...containers.map(({ name: text }) => element('option', { text })));
  const box = (text, checked) => {
    const input = element('input', { type: 'checkbox' });
    input.checked = checked;
    return [input, element('label', { class: 'check' }, input, ` ${text}`)];
  };
  const [previous, previousLabel] = box('previous', false);
  const [wrap, wrapLabel] = box('wrap', true);
  const [follow, followLabel] = box('follow', true);
  const search = element('input', { type: 'search', placeholder: 'Search', 'aria-label': 'Search the logs' });
  const state = element('span', { class: 'message', role: 'status' });
  const output = element('pre', { class: 'log wrap', tabindex: '0', role: 'log', 'aria-label': `Logs of ${name}` });
  const bar = element('div', { class: 'bar' }, select, search, followLabel, previousLabel, wrapLabel, state);
  const root = element('details', {}, element('summary', {}, element('h3', { text: 'Logs' })), bar, output);
  let lines = [];
  let reading;

  const show = perFrame(() => {
    const text = search.value.toLowerCase();
    const shown = text === '' ? lines : lines.filter((line) => line.toLowerCase().includes(text));
    const isAtEnd = output.scrollTop + output.clientHeight >= output.scrollHeight - 4;
    setText(output, shown.join('\n'));
    setText(state, text === '' ? '' : `${shown.length} of ${lines.length} lines`);
    if (follow.checked && isAtEnd) output.scrollTop = output.scrollHeight;
  });
  const take = (text) => {
    const [first = '', ...rest] = text.split('\n');
    lines.push((lines.pop() ?? '') + first, ...rest);
    if (lines.length > maxLines) lines = lines.slice(-maxLines);
    show();
  };
  const read = async () => {
    reading?.abort();
    reading = new AbortController();
    const { signal } = reading;
    lines = [];
    show();
    const query = new URLSearchParams({ tailLines: '500' });
    if (previous.checked) query.set('previous', 'true');
    else if (follow.checked) query.set('follow', 'true');
    try {
      const path = [namespace, name, select.value].map(encodeURIComponent).join('/');
      const answer = await fetch(`../containerLogs/${path}?${query}`, { signal, cache: 'no-store' });
      if (!answer.ok) return take(await answer.text());
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) take(part.value);
    } catch (error) {
      if (!signal.aborted) take(`\nthe logs ended: ${error.message}`);
    }
  };
  root.addEventListener('toggle', () => (root.open ? void read() : reading?.abort()));
  for (const input of [select, previous, follow]) input.addEventListener('change', () => void read());
  search.addEventListener('input', show);
  wrap.addEventListener('change', () => output.classList.toggle('wrap', wrap.checked));
  return { root, close: () => reading?.abort() };
}
