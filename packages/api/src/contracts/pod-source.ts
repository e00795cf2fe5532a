import type { Pod } from '../objects/pod.js';
import type { Startable } from './lifecycle.js';

/** Takes the complete list of pods of a source each time it changes. */
export type PodListHandler = (pods: Pod[]) => void;

/** Where pods come from. It always hands over its complete list, never a difference. */
export interface PodSource extends Startable {
  /** `file`, `http` or `api`; recorded in the annotation `kubernetes.io/config.source`. */
  readonly name: string;
  /** Set before {@link start}. */
  onPods: PodListHandler | undefined;
}

export type PodConfigOperation = 'ADD' | 'UPDATE' | 'DELETE' | 'REMOVE' | 'RECONCILE';

/** A change of what the node shall run. */
export interface PodConfigUpdate {
  op: PodConfigOperation;
  pods: Pod[];
  source: string;
}
