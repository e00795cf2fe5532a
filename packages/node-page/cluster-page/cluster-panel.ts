import type { NodeModel, PodDetailsModel, PodModel, WorkloadModel } from '@nodeagent/pod-view/cluster';
import { element, setAttribute, setText } from '../page/dom.js';
import { createDetails } from './pod-details.js';
import { PodTile } from './pod-tile.js';

/** What has changed since the last frame; absent fields have not. */
export interface PanelFrame {
  nodes?: readonly NodeModel[];
  /** Changed and new pods. */
  pods?: readonly PodModel[];
  /** Ids of removed pods. */
  removed?: readonly string[];
  workloads?: readonly WorkloadModel[];
  /** The selected pod; null for none. */
  details?: PodDetailsModel | null;
}

export interface ClusterPanelOptions {
  /** Called with the selected pod, and with undefined when none is. */
  onSelect(pod: PodModel | undefined): void;
  /** Called when the timeline of the selected pod is requested. Default: it cannot be. */
  onTimeline?(pod: { namespace: string; name: string }): void;
  /** Shows the time of an event. Default: it has none. */
  timeOf?(at: number): HTMLElement;
}

/** Which pods are shown: those whose name, namespace or node contains the text. */
export interface PodFilter {
  text: string;
  /** Whether only pods and nodes are shown that are not healthy. */
  onlyUnhealthy: boolean;
}

interface NodeBox {
  name: string;
  section: HTMLElement;
  status: HTMLElement;
  pods: HTMLElement;
}

/** From this number of shown pods on, tiles show only their colour; their names are in their labels. */
const maxNamedPods = 150;
const unscheduled = 'Not on a node';
const everything: PodFilter = { text: '', onlyUnhealthy: false };

/** Nodes with their pods: the panel of the playground and of the page of a simulated cluster. */
export class ClusterPanel {
  readonly element: HTMLElement;
  readonly #options: ClusterPanelOptions;
  readonly #grid = element('div', { class: 'fleet-nodes' });
  readonly #workloads = element('ul', { class: 'fleet-workloads', 'aria-label': 'Workloads' });
  readonly #none = element('p', { class: 'fleet-none', text: 'Nothing matches.' });
  readonly #summary = element('span', { class: 'fleet-count' });
  readonly #details: ReturnType<typeof createDetails>;
  readonly #nodes = new Map<string, NodeBox>();
  readonly #tiles = new Map<string, PodTile>();
  readonly #tileOfButton = new WeakMap<object, PodTile>();
  #filter = everything;
  #selected: string | undefined;
  /** Names of the nodes of the cluster; a box of another node stays while it has pods. */
  #known: ReadonlySet<string> = new Set();
  /** The tile that Tab reaches; the arrows move from it. */
  #current: PodTile | undefined;

  /** `tools` are the controls beside the heading. */
  constructor(options: ClusterPanelOptions, ...tools: HTMLElement[]) {
    this.#options = options;
    this.#details = createDetails({ ...options, onClose: () => this.#close() });
    this.#none.hidden = true;
    const title = element('h2', { id: 'fleet-title', text: 'Nodes and pods' });
    const scroll = element(
      'div',
      { class: 'fleet-scroll', tabindex: 0, role: 'region', 'aria-label': 'Nodes, pods and workloads' },
      this.#workloads,
      this.#grid,
      this.#none,
    );
    const header = element('header', {}, title, this.#summary, ...tools);
    this.element = element('section', { class: 'fleet', 'aria-labelledby': 'fleet-title' }, header, scroll, this.#details.root);
    this.#grid.addEventListener('focusin', ({ target }) => this.#reach(target ? this.#tileOfButton.get(target) : undefined));
    this.element.addEventListener('keydown', (event) => this.#onKey(event));
  }

  get selected(): PodModel | undefined {
    return this.#selected === undefined ? undefined : this.#tiles.get(this.#selected)?.pod;
  }

  clear(): void {
    this.#grid.replaceChildren();
    this.#workloads.replaceChildren();
    for (const map of [this.#nodes, this.#tiles]) map.clear();
    this.#current = undefined;
    this.#select(undefined);
  }

  update({ nodes, pods = [], removed = [], workloads, details }: PanelFrame): void {
    if (nodes) this.#setNodes(nodes);
    for (const id of removed) this.#remove(id);
    for (const pod of pods) this.#setPod(pod);
    if (workloads) this.#setWorkloads(workloads);
    if (details !== undefined) this.#details.show(details);
    if (nodes || pods.length > 0 || removed.length > 0) this.#show();
  }

  filter(filter: PodFilter): void {
    this.#filter = filter;
    this.#show();
  }

  /** Selects the pod, scrolls to it and moves the focus there; false if the pod is unknown. */
  open(namespace: string, name: string): boolean {
    const tile = [...this.#tiles.values()].find(({ pod }) => pod.namespace === namespace && pod.name === name);
    if (tile === undefined) return false;
    this.#select(tile.pod.id);
    tile.button.scrollIntoView({ block: 'nearest' });
    tile.button.focus({ preventScroll: true });
    return true;
  }

  /** Moves the focus to the tile that Tab reaches. */
  focus(): void {
    this.#current?.button.focus();
  }

  #setNodes(nodes: readonly NodeModel[]): void {
    this.#known = new Set(nodes.map(({ name }) => name));
    for (const { name, level, status } of nodes) {
      const box = this.#nodes.get(name) ?? this.#addNode(name);
      setAttribute(box.section, 'data-level', level);
      setText(box.status, status);
    }
  }

  #addNode(name: string): NodeBox {
    const status = element('span', { class: 'fleet-node-status' });
    const pods = element('div', { class: 'fleet-pods' });
    const heading = element('h3', {}, name, ' ', status);
    const section = element('section', { class: 'fleet-node', role: 'group', 'data-level': 'waiting', 'aria-label': name }, heading, pods);
    const box = { name, section, status, pods };
    this.#nodes.set(name, box);
    this.#grid.append(section);
    return box;
  }

  #setPod(pod: PodModel): void {
    const { id, node } = pod;
    const tile = this.#tiles.get(id);
    if (tile) {
      const isMoved = tile.pod.node !== node;
      tile.show(pod);
      if (isMoved) this.#place(tile);
      return;
    }
    const added = new PodTile(pod, () => this.#select(this.#selected === id ? undefined : id));
    this.#tiles.set(id, added);
    this.#tileOfButton.set(added.button, added);
    if (this.#current === undefined) this.#reach(added);
    this.#place(added);
  }

  #place({ pod: { node }, button }: PodTile): void {
    const place = node === '' ? unscheduled : node;
    (this.#nodes.get(place) ?? this.#addNode(place)).pods.append(button);
  }

  #remove(id: string): void {
    const tile = this.#tiles.get(id);
    tile?.button.remove();
    this.#tiles.delete(id);
    if (this.#selected === id) this.#select(undefined);
    if (this.#current === tile) this.#current = undefined;
  }

  #select(id: string | undefined): void {
    for (const each of [this.#selected, id]) if (each !== undefined) this.#tiles.get(each)?.press(each === id);
    this.#selected = id;
    if (id === undefined) this.#details.show(null);
    this.#options.onSelect(this.selected);
  }

  #setWorkloads(workloads: readonly WorkloadModel[]): void {
    this.#workloads.replaceChildren(
      ...workloads.map(({ kind, namespace, name, ready, desired }) =>
        element('li', {
          'data-level': ready >= desired ? 'good' : 'waiting',
          text: `${kind} ${namespace === 'default' ? '' : `${namespace}/`}${name} ${ready}/${desired}`,
        }),
      ),
    );
  }

  /** Applies the filter, and counts. */
  #show(): void {
    for (const { name, section, pods } of this.#nodes.values()) {
      if (this.#known.has(name) || pods.childElementCount > 0) continue;
      section.remove();
      this.#nodes.delete(name);
    }
    const tiles = [...this.#tiles.values()];
    for (const tile of tiles) tile.button.hidden = !tile.fits(this.#filter);
    const shown = tiles.filter(({ button }) => !button.hidden);
    if (this.#current === undefined || this.#current.button.hidden) this.#reach(shown[0]);
    this.#showNodes(shown);
    const good = shown.filter(({ pod }) => pod.level === 'good').length;
    const nodes = this.#nodes.size - (this.#nodes.has(unscheduled) ? 1 : 0);
    setText(this.#summary, `${nodes} node${nodes === 1 ? '' : 's'}, ${good} of ${shown.length} pods ready`);
    setAttribute(this.#grid, 'data-dense', shown.length > maxNamedPods ? '' : undefined);
  }

  /** Hides nodes without a fitting pod while a filter is set, except those that fit it themselves. */
  #showNodes(shown: readonly PodTile[]): void {
    const { text, onlyUnhealthy } = this.#filter;
    const used = new Set(shown.map(({ pod }) => pod.node || unscheduled));
    for (const { name, section } of this.#nodes.values()) {
      const isUnhealthy = section.dataset.level !== 'good';
      section.hidden = !used.has(name) && !(name.toLowerCase().includes(text) && (!onlyUnhealthy || isUnhealthy));
    }
    this.#none.hidden = [...this.#nodes.values()].some(({ section }) => !section.hidden) || this.#nodes.size === 0;
  }

  #reach(tile: PodTile | undefined): void {
    if (this.#current) this.#current.button.tabIndex = -1;
    if (tile) tile.button.tabIndex = 0;
    this.#current = tile;
  }

  /** The arrows move from tile to tile, Escape closes the details. */
  #onKey(event: KeyboardEvent): void {
    const { key, target, altKey, ctrlKey, metaKey } = event;
    if (altKey || ctrlKey || metaKey) return;
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[key];
    if (by !== undefined && target && this.#tileOfButton.has(target)) {
      event.preventDefault();
      const buttons = [...this.#grid.querySelectorAll<HTMLElement>('.fleet-tile:not([hidden])')];
      buttons[buttons.indexOf(target as HTMLElement) + by]?.focus();
    } else if (key === 'Escape' && this.#selected !== undefined && !(target instanceof HTMLInputElement)) this.#close();
  }

  #close(): void {
    const tile = this.#tiles.get(this.#selected ?? '');
    this.#select(undefined);
    tile?.button.focus();
  }
}
