import type { NodeModel, PodModel } from '@nodeagent/pod-view/cluster';
import type { ActionNow } from '../session/session.js';
import { h, setText } from './dom.js';

/** Pull delays of the button, in milliseconds. */
const pulls = { slow: 60_000, normal: 1_200 };

/** Buttons that break a node or a pod, and mend it. */
export class FaultBar {
  readonly element: HTMLElement;
  readonly #perform: (action: ActionNow) => void;
  readonly #node = h('select', { 'aria-label': 'Node', onchange: () => this.#draw() });
  readonly #kill = h('button', { type: 'button', onclick: () => this.#killContainer(), disabled: true }, 'Kill container');
  readonly #delete = h('button', { type: 'button', onclick: () => this.#deletePod(), disabled: true }, 'Delete pod');
  readonly #power = h('button', {
    type: 'button',
    onclick: () => this.#perform({ kind: this.#model?.isUp === false ? 'restart' : 'crash', node: this.#node.value }),
  });
  readonly #link = h('button', {
    type: 'button',
    onclick: () => this.#perform({ kind: this.#model?.isPartitioned ? 'heal' : 'partition', node: this.#node.value }),
  });
  readonly #disk = h('button', { type: 'button', onclick: () => this.#toggleDisk() });
  readonly #pulls = h('button', { type: 'button', onclick: () => this.#togglePulls() });
  #nodes: readonly NodeModel[] = [];
  #pod: PodModel | undefined;
  readonly #full = new Set<string>();
  #isSlow = false;

  constructor(perform: (action: ActionNow) => void) {
    this.#perform = perform;
    const shutdown = h(
      'button',
      { type: 'button', onclick: () => this.#perform({ kind: 'shutdown', node: this.#node.value }) },
      'Shut down',
    );
    const agent = h(
      'button',
      { type: 'button', onclick: () => this.#perform({ kind: 'kill-agent', node: this.#node.value }) },
      'Kill agent',
    );
    this.element = h(
      'section',
      { class: 'pg-faults', 'aria-label': 'Faults' },
      ...[this.#node, this.#power, agent, this.#link, this.#disk, shutdown, this.#pulls, this.#kill, this.#delete],
    );
    this.#draw();
  }

  setNodes(nodes: readonly NodeModel[]): void {
    const names = nodes.map(({ name }) => name).join();
    if (names !== this.#nodes.map(({ name }) => name).join()) this.#node.replaceChildren(...nodes.map(({ name }) => h('option', {}, name)));
    this.#nodes = nodes;
    this.#draw();
  }

  setPod(pod: PodModel | undefined): void {
    this.#pod = pod;
    this.#kill.disabled = this.#delete.disabled = pod === undefined;
  }

  /** Forgets what an earlier state did. */
  reset(): void {
    this.#full.clear();
    this.#isSlow = false;
    this.#draw();
  }

  get #model(): NodeModel | undefined {
    return this.#nodes.find(({ name }) => name === this.#node.value);
  }

  #draw(): void {
    setText(this.#power, this.#model?.isUp === false ? 'Start node' : 'Crash node');
    setText(this.#link, this.#model?.isPartitioned ? 'Reconnect' : 'Partition');
    setText(this.#disk, this.#full.has(this.#node.value) ? 'Free disk' : 'Fill disk');
    setText(this.#pulls, this.#isSlow ? 'Normal pulls' : 'Slow pulls');
  }

  #toggleDisk(): void {
    const node = this.#node.value;
    const isFull = !this.#full.delete(node);
    if (isFull) this.#full.add(node);
    this.#perform({ kind: 'fill-disk', node, share: isFull ? '97%' : '0' });
    this.#draw();
  }

  #togglePulls(): void {
    this.#isSlow = !this.#isSlow;
    this.#perform({ kind: 'pull-delay', ms: this.#isSlow ? pulls.slow : pulls.normal });
    this.#draw();
  }

  #killContainer(): void {
    const { namespace, name, containers } = this.#pod ?? {};
    const container = containers?.at(-1);
    if (namespace !== undefined && name !== undefined && container !== undefined)
      this.#perform({ kind: 'kill', namespace, pod: name, container });
  }

  #deletePod(): void {
    const { namespace, name } = this.#pod ?? {};
    if (namespace !== undefined && name !== undefined) this.#perform({ kind: 'delete', object: { resource: 'pods', namespace, name } });
  }
}
