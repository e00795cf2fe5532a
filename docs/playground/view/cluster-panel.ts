import type { Frame } from '../session/messages.js';
import type { PodDetails } from '../session/pod-details.js';
import type { NodeModel, PodModel, WorkloadModel } from '../session/views.js';
import { h, setAttribute, setText } from './dom.js';

/** From this number of pods on, tiles show only their colour; their names are in their labels. */
const maxNamedPods = 150;

interface Tile {
  button: HTMLButtonElement;
  name: HTMLElement;
  status: HTMLElement;
  node: string;
}

interface NodeBox {
  section: HTMLElement;
  status: HTMLElement;
  pods: HTMLElement;
}

const unscheduled = 'Not on a node';

/** Nodes with their pods. */
export class ClusterPanel {
  readonly element: HTMLElement;
  readonly #onSelect: (pod: PodModel | undefined) => void;
  readonly #grid = h('div', { class: 'pg-nodes' });
  readonly #workloads = h('ul', { class: 'pg-workloads', 'aria-label': 'Workloads' });
  readonly #summary = h('span', { class: 'pg-count' });
  readonly #details = h('div', { class: 'pg-details', 'aria-live': 'polite', hidden: true });
  readonly #nodes = new Map<string, NodeBox>();
  readonly #tiles = new Map<string, Tile>();
  readonly #pods = new Map<string, PodModel>();
  #selected: string | undefined;

  constructor(onSelect: (pod: PodModel | undefined) => void) {
    this.#onSelect = onSelect;
    const title = h('h2', { id: 'pg-cluster-title' }, 'Nodes and pods');
    const scroll = h(
      'div',
      { class: 'pg-scroll', tabindex: 0, role: 'region', 'aria-label': 'Nodes, pods and workloads' },
      this.#workloads,
      this.#grid,
    );
    this.element = h(
      'section',
      { class: 'pg-cluster', 'aria-labelledby': 'pg-cluster-title' },
      h('header', {}, title, this.#summary),
      scroll,
      this.#details,
    );
  }

  get selected(): PodModel | undefined {
    return this.#selected === undefined ? undefined : this.#pods.get(this.#selected);
  }

  clear(): void {
    this.#grid.replaceChildren();
    this.#workloads.replaceChildren();
    for (const map of [this.#nodes, this.#tiles, this.#pods]) map.clear();
    this.#select(undefined);
  }

  update({ nodes, pods = [], removed = [], workloads, details }: Frame): void {
    if (nodes) this.#setNodes(nodes);
    for (const id of removed) this.#remove(id);
    for (const pod of pods) this.#setPod(pod);
    if (workloads) this.#setWorkloads(workloads);
    if (details !== undefined) this.#setDetails(details);
    if (pods.length > 0 || removed.length > 0) this.#summarize();
  }

  #setNodes(nodes: readonly NodeModel[]): void {
    for (const { name, level, status } of nodes) {
      const box = this.#nodes.get(name) ?? this.#addNode(name);
      setAttribute(box.section, 'data-level', level);
      setText(box.status, status);
    }
  }

  #addNode(name: string): NodeBox {
    const status = h('span', { class: 'pg-node-status' });
    const pods = h('div', { class: 'pg-pods' });
    const section = h('section', { class: 'pg-node', 'data-level': 'waiting', 'aria-label': name }, h('h3', {}, name, ' ', status), pods);
    const box = { section, status, pods };
    this.#nodes.set(name, box);
    this.#grid.append(section);
    return box;
  }

  #setPod(pod: PodModel): void {
    const { id, node, name, namespace, level, status, ready, restarts } = pod;
    this.#pods.set(id, pod);
    const tile = this.#tiles.get(id) ?? this.#addTile(id);
    const label = `${namespace === 'default' ? '' : `${namespace}/`}${name}`;
    const text = `${status}${restarts > 0 ? `, ${restarts} restart${restarts > 1 ? 's' : ''}` : ''}`;
    setAttribute(tile.button, 'data-level', level);
    setText(tile.name, label);
    setText(tile.status, `${text} · ${ready}`);
    if (tile.node !== node) {
      tile.node = node;
      const place = node === '' ? unscheduled : node;
      (this.#nodes.get(place) ?? this.#addNode(place)).pods.append(tile.button);
    }
  }

  #addTile(id: string): Tile {
    const [name, status] = [h('span', { class: 'pg-tile-name' }), h('span', { class: 'pg-tile-status' })];
    const button = h(
      'button',
      { type: 'button', class: 'pg-tile', 'aria-pressed': 'false', onclick: () => this.#select(this.#selected === id ? undefined : id) },
      name,
      status,
    );
    const tile = { button, name, status, node: '\0' };
    this.#tiles.set(id, tile);
    return tile;
  }

  #remove(id: string): void {
    this.#tiles.get(id)?.button.remove();
    this.#tiles.delete(id);
    this.#pods.delete(id);
    const waiting = this.#nodes.get(unscheduled);
    if (waiting?.pods.childElementCount === 0) {
      waiting.section.remove();
      this.#nodes.delete(unscheduled);
    }
    if (this.#selected === id) this.#select(undefined);
  }

  #select(id: string | undefined): void {
    for (const each of [this.#selected, id])
      if (each !== undefined) setAttribute(this.#tiles.get(each)?.button ?? this.#grid, 'aria-pressed', String(each === id));
    this.#grid.removeAttribute('aria-pressed');
    this.#selected = id;
    if (id === undefined) this.#setDetails(null);
    this.#onSelect(this.selected);
  }

  #setWorkloads(workloads: readonly WorkloadModel[]): void {
    this.#workloads.replaceChildren(
      ...workloads.map(({ kind, namespace, name, ready, desired }) =>
        h(
          'li',
          { 'data-level': ready >= desired ? 'good' : 'waiting' },
          `${kind} ${namespace === 'default' ? '' : `${namespace}/`}${name} ${ready}/${desired}`,
        ),
      ),
    );
  }

  #summarize(): void {
    const pods = [...this.#pods.values()];
    const good = pods.filter(({ level }) => level === 'good').length;
    setText(this.#summary, `${this.#nodes.size} node${this.#nodes.size === 1 ? '' : 's'}, ${good} of ${pods.length} pods ready`);
    setAttribute(this.#grid, 'data-dense', pods.length > maxNamedPods ? '' : undefined);
  }

  #setDetails(details: PodDetails | null): void {
    this.#details.hidden = details === null;
    if (details === null) return;
    const { namespace, name, reasons, containers } = details;
    this.#details.replaceChildren(
      h('h3', {}, `${namespace}/${name}`),
      ...reasons.map((reason) => h('p', {}, reason)),
      h(
        'ul',
        {},
        ...containers.map((container) =>
          h(
            'li',
            {},
            h('strong', {}, container.name),
            ` (${container.image}): ${container.state}${container.restarts > 0 ? `, ${container.restarts} restarts` : ''}`,
            container.logs.length > 0 && h('pre', { tabindex: 0, 'aria-label': `Log of ${container.name}` }, container.logs.join('\n')),
          ),
        ),
      ),
    );
  }
}
