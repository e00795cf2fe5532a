import type { Pod } from '../objects/pod.js';
import type { Startable } from './lifecycle.js';

/** Takes the complete list of pods of a source, also one that is as before. */
export type PodListHandler = (pods: Pod[]) => void;

/**
 * Where pods come from. It always hands over its complete list, never a difference. The agent gives its pods the defaults of the API, a
 * namespace and a UID where they have none, and does not change the objects that it receives.
 */
export interface PodSource extends Startable {
  /** `file`, `http` or `api`; recorded in the annotation `kubernetes.io/config.source`. */
  readonly name: string;
  /**
   * Called with the list, empty if the source has no pods, once it is known for the first time and whenever the source was read again. To
   * be set before {@link start}; a source that has not called it counts as not heard, and until then no pod counts as unwanted.
   */
  onPods: PodListHandler | undefined;
}

export type PodConfigOperation = 'ADD' | 'UPDATE' | 'DELETE' | 'REMOVE' | 'RECONCILE';

/**
 * A change of what the node shall run. `ADD`: new pods; `UPDATE`: their spec or metadata changed; `DELETE`: they got a deletion timestamp;
 * `REMOVE`: their source has them no more; `RECONCILE`: others changed their status.
 */
export interface PodConfigUpdate {
  op: PodConfigOperation;
  pods: Pod[];
  source: string;
}
