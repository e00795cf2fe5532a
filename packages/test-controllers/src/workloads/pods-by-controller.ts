import type { Pod } from '@nodeagent/api';
import type { StoredChange, StoredObject } from '../controller-objects.js';
import { controllerOf } from './ownership.js';
import { type PodState, podState } from './pod-states.js';

interface Entry {
  name: string;
  state: PodState;
}

interface Group {
  byName: Map<string, Entry>;
  /** By name; reset when a pod is added or removed. */
  sorted: Entry[] | undefined;
}

/** The pods of each controlling object, updated by the changes of pods: the step of an object costs nothing for the pods of others. */
export class PodsByController {
  readonly #groups = new Map<string, Group>();

  see({ type, object, previous }: StoredChange): void {
    const { name = '' } = object.metadata;
    const key = type === 'DELETED' ? undefined : keyOf(object);
    const before = previous && keyOf(previous);
    if (before !== undefined && before !== key) this.#remove(before, name);
    if (key !== undefined) this.#set(key, name, podState(object as Pod));
  }

  /** Sorted by name. */
  of({ metadata: { namespace, uid } }: StoredObject): PodState[] {
    return this.#statesOf(`${namespace} ${uid}`);
  }

  /** The pods of a namespace without a controller, sorted by name. */
  orphans(namespace: string | undefined): PodState[] {
    return this.#statesOf(`${namespace} `);
  }

  #statesOf(key: string): PodState[] {
    const group = this.#groups.get(key);
    if (group === undefined) return [];
    group.sorted ??= [...group.byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return group.sorted.map(({ state }) => state);
  }

  #set(key: string, name: string, state: PodState): void {
    const group = this.#groups.get(key) ?? { byName: new Map<string, Entry>(), sorted: undefined };
    this.#groups.set(key, group);
    const entry = group.byName.get(name);
    if (entry) entry.state = state;
    else {
      group.byName.set(name, { name, state });
      group.sorted = undefined;
    }
  }

  #remove(key: string, name: string): void {
    const group = this.#groups.get(key);
    if (!group?.byName.delete(name)) return;
    group.sorted = undefined;
    if (group.byName.size === 0) this.#groups.delete(key);
  }
}

/** Of the controlling object, which is in the pod's namespace; of orphans only the namespace. */
const keyOf = (pod: StoredObject): string => `${pod.metadata.namespace} ${controllerOf(pod)?.uid ?? ''}`;
