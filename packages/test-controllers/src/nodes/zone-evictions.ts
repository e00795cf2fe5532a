import type { Node } from '@nodeagent/api';

/**
 * State of a zone by its nodes. Kubernetes documentation, "Nodes: Rate limits on eviction". `partial`: 55 % of its nodes, and at least
 * three, are not ready; `full`: all are.
 */
export type ZoneState = 'normal' | 'partial' | 'full';

export function zoneState({ ready, notReady }: { ready: number; notReady: number }): ZoneState {
  if (ready === 0 && notReady > 0) return 'full';
  return notReady > 2 && notReady / (notReady + ready) >= 0.55 ? 'partial' : 'normal';
}

const largeZone = 50;

/** Nodes of a zone that are tainted for eviction per second: `--node-eviction-rate` and `--secondary-node-eviction-rate`. */
export function evictionRate(state: ZoneState, size: number): number {
  if (state !== 'partial') return 0.1;
  return size > largeZone ? 0.01 : 0;
}

/** The zone of a node by its topology labels. */
export function zoneOf({ metadata }: Pick<Node, 'metadata'>): string {
  const { labels = {} } = metadata ?? {};
  return `${labels['topology.kubernetes.io/region'] ?? ''}:${labels['topology.kubernetes.io/zone'] ?? ''}`;
}

/** Whether the node does not count for the state of its zone. */
export const isExcluded = ({ metadata }: Pick<Node, 'metadata'>): boolean =>
  metadata?.labels?.['node.kubernetes.io/exclude-disruption'] !== undefined;

/** Nodes of a zone that wait for their eviction, at most one per period. */
export class EvictionQueue {
  readonly #waiting = new Set<string>();
  #perSecond = 0;
  #nextAt = 0;

  set perSecond(value: number) {
    this.#perSecond = value;
  }

  add(nodeName: string): void {
    this.#waiting.add(nodeName);
  }

  remove(nodeName: string): void {
    this.#waiting.delete(nodeName);
  }

  /** The node whose turn it is; undefined if none is. */
  take(now: number): string | undefined {
    const [first] = this.#waiting;
    if (first === undefined || (this.dueAt ?? Infinity) > now) return undefined;
    this.#waiting.delete(first);
    this.#nextAt = now + 1_000 / this.#perSecond;
    return first;
  }

  /** When the next node may be taken; undefined if none waits, or evictions are stopped. */
  get dueAt(): number | undefined {
    return this.#waiting.size > 0 && this.#perSecond > 0 ? this.#nextAt : undefined;
  }
}
