import type { StoredObject } from '../../controller-objects.js';
import type { NodeInfo } from './node-info.js';
import type { PodInfo } from './pod-info.js';

/** The objects of other kinds that rules read, by group and plural: `/namespaces`, `apps/replicasets`. */
export interface ObjectReader {
  get(storage: string, namespace: string | undefined, name: string): StoredObject | undefined;
  list(storage: string, namespace?: string): readonly StoredObject[];
}

/** The cluster as the scheduler sees it. */
export interface Snapshot {
  /** Sorted by name. */
  readonly nodes: readonly NodeInfo[];
  readonly objects: ObjectReader;
  /** Pods that wait on a node for the end of preempted pods, by the node's name. */
  readonly nominated: Map<string, PodInfo[]>;
  /** Where the search for feasible nodes begins; the scheduler moves it on. */
  startAt: number;
}
