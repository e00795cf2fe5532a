import type { Pod } from '../objects/pod.js';
import type { Startable } from './lifecycle.js';

/** Receives the complete list of a source's pods, even if the list is unchanged. */
export type PodListHandler = (pods: Pod[]) => void;

/**
 * A source of pods. It always emits its complete list, never a difference. The agent applies the API's defaults, a namespace and a UID to
 * pods that lack them, in copies; neither side changes an emitted list or pod. An unchanged pod is emitted as the same object.
 *
 * `start` also resolves while the pods cannot be read, and the source retries. Until a read succeeds it emits nothing, not an empty list,
 * so that an unreachable source does not terminate pods. If the signal has already aborted, `start` does nothing.
 */
export interface PodSource extends Startable {
  /** `file`, `http` or `api`; recorded in the annotation `kubernetes.io/config.source`. */
  readonly name: string;
  /**
   * Called with the list (empty if the source has no pods) after the first successful read and after each later change or read. Never
   * called before {@link Startable.start}, nor after {@link Startable.stop} has resolved or the signal has aborted. Set it before the
   * start. A source that has not called it yet is not ready, and until all sources are ready the agent removes no pods.
   */
  onPods?: PodListHandler | undefined;
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
