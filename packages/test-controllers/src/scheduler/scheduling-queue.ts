import type { Pod } from '@nodeagent/api';
import type { ClusterChange, SchedulerPlugin } from './framework/plugin.js';

/** Unschedulable pods that the same plugins rejected. */
interface Parked {
  plugins: readonly SchedulerPlugin[];
  pods: Map<string, Pod>;
}

/**
 * The pods that wait for the scheduler, by their keys: those to try, and the unschedulable ones, which are retried after a change that may help.
 * As in kube-scheduler, which takes pods from their back-off when nothing else is to be tried, there is no wait.
 */
export class SchedulingQueue {
  readonly #plugins: readonly SchedulerPlugin[];
  readonly #waiting = new Set<string>();
  readonly #parked = new Map<string, Parked>();
  readonly #backingOff = new Set<string>();

  constructor(plugins: readonly SchedulerPlugin[]) {
    this.#plugins = plugins;
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(key: string): void {
    this.remove(key);
    this.#waiting.add(key);
  }

  remove(key: string): void {
    this.#waiting.delete(key);
    this.#backingOff.delete(key);
    for (const [group, { pods }] of this.#parked) if (pods.delete(key) && pods.size === 0) this.#parked.delete(group);
  }

  /** Takes all pods to try. */
  take(): string[] {
    const keys = [...this.#waiting];
    this.#waiting.clear();
    return keys;
  }

  /** Keeps a pod until it is added again. */
  backOff(key: string): void {
    this.remove(key);
    this.#backingOff.add(key);
  }

  /** Keeps an unschedulable pod until a change helps one of the plugins that rejected it. */
  park(key: string, pod: Pod, rejectedBy: ReadonlySet<string>): void {
    this.remove(key);
    const plugins = this.#plugins.filter(({ name }) => rejectedBy.has(name));
    const group = plugins.map(({ name }) => name).join(' ');
    const parked = this.#parked.get(group) ?? { plugins, pods: new Map<string, Pod>() };
    parked.pods.set(key, pod);
    this.#parked.set(group, parked);
  }

  isBackingOff(key: string): boolean {
    return this.#backingOff.has(key);
  }

  isParked(key: string): boolean {
    return [...this.#parked.values()].some(({ pods }) => pods.has(key));
  }

  /** Moves the pods that a change may help to those to try. */
  onChange(change: ClusterChange): void {
    for (const [group, { plugins, pods }] of this.#parked) {
      const concerned = plugins.filter(({ helpedBy, storages }) => {
        if (change.type === 'objectChanged') return storages?.includes(change.storage);
        return helpedBy?.includes(change.type) ?? true;
      });
      if (concerned.length === 0) continue;
      for (const [key, pod] of pods) {
        if (!concerned.some((plugin) => plugin.isHelpedBy?.(pod, change) ?? true)) continue;
        pods.delete(key);
        this.#waiting.add(key);
      }
      if (pods.size === 0) this.#parked.delete(group);
    }
  }
}
