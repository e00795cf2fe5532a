import type { PodDetailsModel } from '@nodeagent/pod-view/cluster';
import { element } from '../page/dom.js';

type Container = PodDetailsModel['containers'][number];
type PodEventLine = PodDetailsModel['events'][number];

interface DetailsOptions {
  onClose(): void;
  /** Called when the timeline of the pod is requested. Default: it cannot be. */
  onTimeline?(pod: { namespace: string; name: string }): void;
  timeOf?(at: number): HTMLElement;
}

/** The selected pod: why it is in its state, its containers, conditions and events. */
export function createDetails({ onClose, onTimeline, timeOf }: DetailsOptions): {
  root: HTMLElement;
  show(details: PodDetailsModel | null): void;
} {
  const heading = element('h3');
  const close = element('button', { type: 'button', text: 'Close', on: { click: onClose } });
  let shown: PodDetailsModel | null = null;
  const showTimeline = () => shown && onTimeline?.(shown);
  const timeline = onTimeline && element('button', { type: 'button', text: 'Show its timeline', on: { click: showTimeline } });
  const sentence = element('p', { 'aria-live': 'polite' });
  const body = element('div');
  const root = element(
    'div',
    { class: 'fleet-details', role: 'region', 'aria-label': 'Selected pod', tabindex: 0 },
    element('div', { class: 'fleet-details-head' }, heading, timeline, close),
    sentence,
    body,
  );
  root.hidden = true;
  return {
    root,
    show(details) {
      shown = details;
      root.hidden = details === null;
      if (details === null) return;
      const { namespace, name, containers, conditions, events } = details;
      if (heading.textContent !== `${namespace}/${name}`) root.scrollTop = 0;
      heading.textContent = `${namespace}/${name}`;
      if (sentence.textContent !== details.sentence) sentence.textContent = details.sentence;
      body.replaceChildren(
        ...part('Containers', containers.map(containerItem)),
        ...part('Conditions', conditions.map(conditionItem)),
        ...part(
          'Events',
          events.map((event) => eventItem(event, timeOf)),
        ),
      );
    },
  };
}

function part(title: string, items: HTMLElement[]): HTMLElement[] {
  if (items.length === 0) return [];
  return [element('h4', { text: title }), element('ul', { 'aria-label': title }, ...items)];
}

function containerItem({ name, image, state, restarts, logs }: Container): HTMLElement {
  const item = element(
    'li',
    {},
    element('strong', { text: name }),
    ` (${image}): ${state}${restarts > 0 ? `, ${restarts} restart${restarts > 1 ? 's' : ''}` : ''}`,
  );
  if (logs.length > 0) item.append(element('pre', { role: 'group', 'aria-label': `Log of ${name}`, text: logs.join('\n') }));
  return item;
}

function conditionItem({ type, status, text }: PodDetailsModel['conditions'][number]): HTMLElement {
  return element(
    'li',
    { 'data-level': status === 'True' ? 'good' : 'waiting' },
    element('strong', { text: type }),
    ` ${status}`,
    text && ` ${text}`,
  );
}

function eventItem({ at, count, warning, text }: PodEventLine, timeOf: DetailsOptions['timeOf']): HTMLElement {
  const item = element('li', {
    'data-level': warning ? 'bad' : undefined,
    text: `${warning ? 'Warning: ' : ''}${text}${count > 1 ? ` ×${count}` : ''}`,
  });
  if (timeOf && at > 0) item.append(' ', timeOf(at));
  return item;
}
