import type { PodModel } from './pod-model.js';

export interface ChangedPods {
  /** Changed and new pods; absent without any. */
  pods?: PodModel[];
  /** Ids of removed pods; absent without any. */
  removed?: string[];
}

/** What differs between the models by id that were shown and the current ones. A pod is unchanged if its model is the same object. */
export function changedPods(shown: ReadonlyMap<string, PodModel>, current: ReadonlyMap<string, PodModel>): ChangedPods {
  const pods = [...current.values()].filter((pod) => shown.get(pod.id) !== pod);
  const removed = [...shown.keys()].filter((id) => !current.has(id));
  return { ...(pods.length > 0 && { pods }), ...(removed.length > 0 && { removed }) };
}
