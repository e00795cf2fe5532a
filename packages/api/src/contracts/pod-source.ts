import type { Pod } from '../objects/pod.js';
import type { Startable } from './lifecycle.js';

/** Takes the complete list of pods of a source, also one that is as before. */
export type PodListHandler = (pods: Pod[]) => void;

/**
 * Where pods come from. It always hands over its complete list, never a difference. The agent gives its pods the defaults of the API, a
 * namespace and a UID where they have none, and does not change the objects that it receives; nor does the source change a list or a pod
 * that it has handed over. A pod that did not change is handed over as it was.
 *
 * `start` resolves also while the pods cannot be read: the source goes on trying. It hands over nothing meanwhile, never an empty list
 * instead, so that no pod ends because its source is away. With a signal that has aborted it does not start.
 */
export interface PodSource extends Startable {
  /** `file`, `http` or `api`; recorded in the annotation `kubernetes.io/config.source`. */
  readonly name: string;
  /**
   * Called with the list, empty if the source has no pods, once it is known for the first time and whenever it changed or the source was
   * read again; never before {@link Startable.start}, nor after {@link Startable.stop} has resolved or the signal has aborted. To be set
   * before the start; a source that has not called it counts as not heard, and until then no pod counts as unwanted.
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
