import { errorCode, errorMessage, type Pod, type PodSyncResult, requirePositive } from '@nodeagent/api';
import { podContainers, podUid } from '@nodeagent/api/helpers';
import type { WaitingReason } from './container-statuses.js';

/** Stores why containers could not be started, which the runtime does not know: their waiting reason until a start succeeds. */
export interface ReasonCache {
  /** Processes the result of a pod's sync: stores the error code of a failed `StartContainer`, removes the entry after a successful one. */
  update(uid: string, result: PodSyncResult): void;
  /** Why the last start of the container failed, if it did. */
  get(uid: string, containerName: string): WaitingReason | undefined;
  /** The reasons by container; undefined if every start of the pod's containers succeeded. */
  reasonsOf(pod: Pod): Record<string, WaitingReason> | undefined;
  readonly size: number;
}

/** Creates a cache of the `capacity` (default 1000) most recently used reasons of all pods. */
export function createReasonCache(options: { capacity?: number } = {}): ReasonCache {
  const { capacity = 1000 } = options;
  requirePositive('capacity', capacity, { integer: true });
  const reasons = new Map<string, WaitingReason>();
  const keyOf = (uid: string, name: string) => `${uid}_${name}`;

  const get = (uid: string, name: string) => {
    if (reasons.size === 0) return undefined;
    const key = keyOf(uid, name);
    const reason = reasons.get(key);
    if (reason === undefined) return undefined;
    reasons.delete(key);
    reasons.set(key, reason);
    return reason;
  };
  const add = (key: string, reason: WaitingReason) => {
    reasons.delete(key);
    reasons.set(key, reason);
    if (reasons.size <= capacity) return;
    for (const oldest of reasons.keys()) {
      reasons.delete(oldest);
      break;
    }
  };

  return {
    update(uid, { results }) {
      for (const { action, target, error } of results) {
        if (action !== 'StartContainer') continue;
        const key = keyOf(uid, target);
        if (error === undefined) reasons.delete(key);
        else add(key, { reason: errorCode(error) ?? errorMessage(error), message: errorMessage(error) });
      }
    },
    get,
    reasonsOf(pod) {
      if (reasons.size === 0) return undefined;
      let found: Record<string, WaitingReason> | undefined;
      for (const { container } of podContainers(pod)) {
        const reason = get(podUid(pod), container.name);
        if (reason) found = { ...found, [container.name]: reason };
      }
      return found;
    },
    get size() {
      return reasons.size;
    },
  };
}
