import type { Pod } from '../objects/pod.js';
import type { Startable } from './lifecycle.js';

/** Receives the complete list of a source's pods, even if the list is unchanged. */
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
   * Called with the list (empty if the source has no pods) after the first successful read and after each later change or read. Never
   * called before {@link Startable.start}, nor after {@link Startable.stop} has resolved or the signal has aborted. Set it before the
   * start. A source that has not called it yet is not ready, and until all sources are ready the agent removes no pods.
   */
  onPods: PodListHandler | undefined;
}

export type PodConfigOperation = 'ADD' | 'UPDATE' | 'DELETE' | 'REMOVE' | 'RECONCILE';

/**
 * A change of the node's desired pods. `ADD`: new pods; `UPDATE`: their spec or metadata changed; `DELETE`: they got a deletion timestamp;
 * `REMOVE`: their source no longer lists them; `RECONCILE`: another client changed their status.
 */
export interface PodConfigUpdate {
  op: PodConfigOperation;
  pods: Pod[];
  source: string;
}
