import {
  type Clock,
  isApiReason,
  type Logger,
  type Node,
  type ObjectCreator,
  type ObjectDeleter,
  type ObjectGetter,
  objectKey,
  type Pod,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { createBackoff, isMirrorPodOf, podFullName, podKey, podUid } from '@nodeagent/api/helpers';
import { buildMirrorPod, mirrorPodActions } from './mirror-pod.js';

export interface MirrorPodsOptions {
  pods: ObjectCreator<Pod> & ObjectDeleter & ObjectGetter<Pod>;
  /** The API server's Node, which owns the mirror pods; undefined if there is none. */
  node(): Node | undefined;
  /** Default: the system clock. */
  clock?: Pick<Clock, 'now'>;
  logger?: Logger;
  /** Cancels calls in progress. */
  signal?: AbortSignal;
}

/**
 * Manages the mirror pods of static pods in the API server. It changes one mirror pod at a time; calls during a change are left to the next
 * sync. It logs a failure and backs off for 1 s, doubled after each further failure, up to 1 min. Its methods never reject.
 */
export interface MirrorPods {
  /**
   * Reconciles the mirror pod of a static pod; `mirrorPod` is the existing one. Deletes one of another version or one that is being deleted,
   * and creates a missing one unless the node is missing or being deleted.
   */
  reconcile(pod: Pod, mirrorPod: Pod | undefined): Promise<void>;
  /** Deletes a mirror whose static pod was removed. Backs off after a success too, until the informer no longer has the mirror. */
  deleteOrphan(mirrorPod: Pod): Promise<void>;
}

export function createMirrorPods(options: MirrorPodsOptions): MirrorPods {
  const { pods, node, clock = systemClock, logger = silentLogger, signal } = options;
  const call = signal && { signal };
  const busy = new Set<string>();
  const backoff = createBackoff({ initialMs: 1_000, maxMs: 60_000 });

  const once = async (pod: Pod, action: () => Promise<void>) => {
    const fullName = podFullName(pod);
    if (busy.has(fullName) || signal?.aborted || backoff.isInBackoffSinceUpdate(fullName, clock.now())) return;
    busy.add(fullName);
    try {
      await action();
      backoff.reset(fullName);
    } catch (error) {
      if (signal?.aborted) return;
      backoff.next(fullName, clock.now(), clock.now());
      backoff.collect(clock.now());
      logger.error({ pod: podKey(pod), err: error }, 'changing a mirror pod failed');
    } finally {
      busy.delete(fullName);
    }
  };

  /** Succeeds if the mirror pod is already deleted or replaced. */
  const remove = async (mirrorPod: Pod, preconditions: { uid?: string } | undefined) => {
    try {
      await pods.delete(objectKey(mirrorPod), { ...call, gracePeriodSeconds: 0, ...(preconditions && { preconditions }) });
    } catch (error) {
      if (!isApiReason(error, 'NotFound') && !isApiReason(error, 'Conflict')) throw error;
    }
  };

  const create = async (pod: Pod) => {
    const owner = node();
    if (owner === undefined || owner.metadata?.deletionTimestamp) {
      logger.debug(
        { pod: podKey(pod) },
        owner ? 'no mirror pod: the node is being deleted' : 'no mirror pod yet: the node is not registered',
      );
      return;
    }
    try {
      await pods.create(buildMirrorPod(pod, owner), call);
    } catch (error) {
      if (!isApiReason(error, 'AlreadyExists')) throw error;
      const existing = await pods.get(objectKey(pod), call);
      if (!isMirrorPodOf(existing, pod)) throw error;
    }
  };

  return {
    reconcile(pod, mirrorPod) {
      const actions = mirrorPodActions(pod, mirrorPod);
      if (!actions.delete && !actions.create) return Promise.resolve();
      return once(pod, async () => {
        const uid = mirrorPod?.metadata?.uid;
        if (actions.delete && mirrorPod !== undefined) await remove(mirrorPod, uid === undefined ? undefined : { uid });
        if (actions.create) await create(pod);
      });
    },
    async deleteOrphan(mirrorPod) {
      const uid = podUid(mirrorPod);
      if (backoff.isInBackoffSinceUpdate(uid, clock.now())) return;
      backoff.next(uid, clock.now(), clock.now());
      backoff.collect(clock.now());
      await once(mirrorPod, () => remove(mirrorPod, undefined));
    },
  };
}
