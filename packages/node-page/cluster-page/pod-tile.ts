import type { PodModel } from '@nodeagent/pod-view/cluster';
import { element, setAttribute, setText } from '../page/dom.js';

/** A pod in its node: its level as colour, its status as text. */
export class PodTile {
  readonly button: HTMLButtonElement;
  readonly #name = element('span', { class: 'fleet-tile-name' });
  readonly #status = element('span', { class: 'fleet-tile-status' });
  #pod: PodModel;

  constructor(pod: PodModel, onClick: () => void) {
    this.button = element(
      'button',
      { type: 'button', class: 'fleet-tile', 'aria-pressed': 'false', tabindex: -1, on: { click: onClick } },
      this.#name,
      ' ',
      this.#status,
    );
    this.#pod = pod;
    this.show(pod);
  }

  get pod(): PodModel {
    return this.#pod;
  }

  show(pod: PodModel): void {
    const { namespace, name, level, status, ready, restarts } = pod;
    this.#pod = pod;
    const label = `${namespace === 'default' ? '' : `${namespace}/`}${name}`;
    const text = `${status}${restarts > 0 ? `, ${restarts} restart${restarts > 1 ? 's' : ''}` : ''} · ${ready}`;
    setAttribute(this.button, 'data-level', level);
    setAttribute(this.button, 'title', `${label}: ${text}`);
    setText(this.#name, label);
    setText(this.#status, text);
  }

  press(isPressed: boolean): void {
    setAttribute(this.button, 'aria-pressed', isPressed);
  }

  fits({ text, onlyUnhealthy }: { text: string; onlyUnhealthy: boolean }): boolean {
    const { namespace, name, node, level } = this.#pod;
    if (onlyUnhealthy && (level === 'good' || level === 'done')) return false;
    return text === '' || `${namespace}/${name} ${node}`.toLowerCase().includes(text);
  }
}
