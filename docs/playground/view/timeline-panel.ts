import { type Topic, topics } from '../links/topics.js';
import type { Entry } from '../session/entry.js';
import { h } from './dom.js';
import { timeText } from './time-text.js';

const rowHeight = 56;
const spareRows = 4;

/** The address of each topic's function. */
export type SourceLinks = Readonly<Record<Topic, string>>;

const filters: Readonly<Record<string, (entry: Entry, pod: string | undefined) => boolean>> = {
  'All decisions': () => true,
  'Without runtime calls': ({ from }) => from !== 'runtime',
  'Warnings only': ({ warning }) => warning,
  'Selected pod only': ({ pod }, selected) => pod !== undefined && pod === selected,
};

/** The timeline: only the rows that can be seen are in the page. */
export class TimelinePanel {
  readonly element: HTMLElement;
  #entries: Entry[] = [];
  #shown: Entry[] = [];
  #filter = 'All decisions';
  #selected: string | undefined;
  readonly #links: SourceLinks;
  readonly #scroll = h('div', { class: 'pg-scroll', tabindex: 0, role: 'region', 'aria-label': 'Entries of the timeline' });
  readonly #list = h('ol', { class: 'pg-rows' });
  readonly #count = h('span', { class: 'pg-count' });
  readonly #rows = new Map<number, HTMLElement>();

  constructor(links: SourceLinks) {
    this.#links = links;
    const choice = h(
      'select',
      { 'aria-label': 'Which entries', onchange: () => this.#setFilter(choice.value) },
      ...Object.keys(filters).map((name) => h('option', {}, name)),
    );
    this.element = h(
      'section',
      { class: 'pg-timeline', 'aria-labelledby': 'pg-timeline-title' },
      h('header', {}, h('h2', { id: 'pg-timeline-title' }, 'Timeline'), this.#count, choice),
      this.#scroll,
    );
    this.#scroll.append(this.#list);
    this.#scroll.addEventListener('scroll', () => this.#draw(), { passive: true });
    new ResizeObserver(() => this.#draw()).observe(this.#scroll);
  }

  get last(): Entry | undefined {
    return this.#entries.at(-1);
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Removes all entries but the first `kept`, and adds some. */
  update(kept: number | undefined, entries: readonly Entry[]): void {
    if (kept !== undefined && kept < this.#entries.length) {
      this.#entries.length = kept;
      this.#refilter();
    }
    for (const entry of entries) {
      this.#entries.push(entry);
      if (this.#passes(entry)) this.#shown.push(entry);
    }
    this.#show();
  }

  select(pod: string | undefined): void {
    this.#selected = pod;
    if (this.#filter === 'Selected pod only') this.#setFilter(this.#filter);
  }

  #setFilter(filter: string): void {
    this.#filter = filter;
    this.#refilter();
    this.#show();
  }

  #refilter(): void {
    this.#shown = this.#entries.filter((entry) => this.#passes(entry));
    this.#list.replaceChildren();
    this.#rows.clear();
  }

  #passes(entry: Entry): boolean {
    return filters[this.#filter]?.(entry, this.#selected) ?? true;
  }

  /** Follows the end of the timeline if it is in view. */
  #show(): void {
    const { scrollTop, clientHeight } = this.#scroll;
    const isAtEnd = scrollTop + clientHeight >= this.#list.offsetHeight - rowHeight;
    this.#list.style.height = `${this.#shown.length * rowHeight}px`;
    this.#count.textContent =
      this.#shown.length === this.#entries.length ? `${this.#entries.length}` : `${this.#shown.length} of ${this.#entries.length}`;
    if (isAtEnd) this.#scroll.scrollTop = this.#shown.length * rowHeight;
    this.#draw();
  }

  #draw(): void {
    const first = Math.max(0, Math.floor(this.#scroll.scrollTop / rowHeight) - spareRows);
    const end = Math.min(this.#shown.length, first + Math.ceil(this.#scroll.clientHeight / rowHeight) + 2 * spareRows);
    for (const [index, row] of this.#rows)
      if (index < first || index >= end) {
        row.remove();
        this.#rows.delete(index);
      }
    for (let index = first; index < end; index++) {
      const entry = this.#shown[index];
      if (entry === undefined || this.#rows.has(index)) continue;
      const row = this.#row(entry, index);
      this.#rows.set(index, row);
      this.#list.append(row);
    }
  }

  #row({ at, who, from, pod, text, warning, topic }: Entry, index: number): HTMLElement {
    const { title, file, name, docs } = topics[topic];
    return h(
      'li',
      {
        class: `pg-row${warning ? ' pg-warning' : ''}`,
        'data-from': from,
        style: `top: ${index * rowHeight}px`,
        'aria-posinset': index + 1,
        'aria-setsize': -1,
      },
      h(
        'div',
        { class: 'pg-row-head' },
        h('time', {}, timeText(at)),
        h('span', { class: 'pg-who' }, who),
        h('span', { class: 'pg-pod-name' }, pod ?? ''),
        h(
          'a',
          {
            href: this.#links[topic],
            target: '_blank',
            rel: 'noreferrer',
            title: `${title}: ${name} in ${file}`,
            'aria-label': `code of ${name}`,
          },
          'code',
        ),
        h(
          'a',
          {
            href: docs,
            target: '_blank',
            rel: 'noreferrer',
            title: `${title}: Kubernetes documentation`,
            'aria-label': `docs: ${title}`,
          },
          'docs',
        ),
      ),
      h('p', { title: text }, `${warning ? '⚠ ' : ''}${text}`),
    );
  }
}
