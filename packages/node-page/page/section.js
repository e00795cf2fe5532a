import { element, setText } from './dom.js';

/** A part that opens, filled when it is open. */
export function section(title) {
  const count = element('span', { class: 'count' });
  const body = element('div');
  const root = element('details', {}, element('summary', {}, element('h3', {}, title, ' ', count)), body);
  let fill = () => [];
  root.addEventListener('toggle', () => body.replaceChildren(...(root.open ? fill() : [])));
  return {
    root,
    show(length, next) {
      fill = next;
      root.hidden = length === 0;
      setText(count, length === undefined ? '' : `${length}`);
      if (root.open) body.replaceChildren(...fill());
    },
  };
}
