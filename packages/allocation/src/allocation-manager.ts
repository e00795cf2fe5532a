import {
  invalidOption,
  noEvents,
  noMetrics,
  onAbort,
  type Pod,
  type PodAdmitResult,
  type PodCondition,
  podReference,
  podResizeDetails,
  podUid,
  requirePositive,
  type Startable,
  silentLogger,
  systemClock,
  type Timer,
} from '@nodeagent/api';
import { admit } from './admit.js';
import { createSavedAllocations } from './allocations.js';
import { canResizePod, type ResizeDecision } from './can-resize-pod.js';
import { nodeResources, usedResources } from './node-resources.js';
import type { AllocationManagerOptions } from './options.js';
import { createPendingConditions } from './pending-conditions.js';
import { type PendingResize, sortPendingResizes } from './sort-pending-resizes.js';

/** Why waiting resizes are tried again: label `retry_trigger` of the metric `kubelet_pod_deferred_accepted_resizes_total`. */
export type RetryTrigger = 'pods_added' | 'pod_updated' | 'pods_removed' | 'pod_terminated' | 'pod_resized' | 'periodic_retry';

/** Decides which pods the node takes, keeps what each was granted, and grants resizes. */
export interface AllocationManager extends Startable {
  /** Loads what was granted before. Other calls do not need it; without it waiting resizes are tried only when asked for. */
  start(signal?: AbortSignal): Promise<void>;
  /**
   * Asks the admit handlers about a pod of a source, which {@link AllocationManagerOptions.activePods} may already have, and grants it what
   * its spec asks for or, if it was granted something before, that. Resolves when the grant is saved. One pod at a time, in the order of
   * the calls; rejects only with the reason for which the manager ended.
   */
  addPod(pod: Pod): Promise<PodAdmitResult>;
  /** The pod with what it was granted in the place of what it asks for; as it is if it was granted nothing. Answered from memory. */
  updatePodFromAllocation(pod: Pod): Pod;
  /**
   * Notes that a pod's spec may ask for other resources than it was granted; returns whether there is something to be decided by
   * {@link retryPendingResizes}.
   */
  pushPendingResize(pod: Pod): boolean;
  /**
   * Whether the pod's spec asks for other resources than it was granted and no decision on this generation has been made: neither granted
   * nor in the condition `PodResizePending`. Takes the pod of the source, with what it asks for.
   */
  isResizeUndecided(pod: Pod): boolean;
  /** Decides on the waiting resizes in their order. Cheap when none waits. Never rejects. */
  retryPendingResizes(trigger: RetryTrigger): Promise<void>;
  /** The waiting resizes in the order in which they will be tried, and why they wait. */
  pendingResizes(): { podUid: string; reason?: string; message?: string }[];
  /** The pod's condition `PodResizePending`, if its resize waits or cannot be. */
  resizeConditions(podUid: string): PodCondition[];
  /** Forgets a pod that is gone for good. */
  removePod(podUid: string): void;
  /** Forgets all pods but these. */
  removeOrphanedPods(known: ReadonlySet<string>): void;
}

/** Makes an {@link AllocationManager}. Throws `InvalidOption` naming the option. */
export function createAllocationManager(options: AllocationManagerOptions): AllocationManager {
  for (const name of ['activePods', 'nodeAllocatable', 'syncPod'] as const) {
    if (typeof options[name] !== 'function') throw invalidOption(name, 'a function', options[name]);
  }
  requirePositive('retryPeriodMs', options.retryPeriodMs);
  const { admitHandlers = [], allSourcesReady = () => true, retryPeriodMs = 180_000 } = options;
  const { clock = systemClock, recorder = noEvents, logger = silentLogger, metrics = noMetrics } = options;
  const allocations = createSavedAllocations(options.store, logger);
  const conditions = createPendingConditions({ clock, recorder, metrics });
  /** UIDs of pods whose resize waits for a decision. */
  const pending = new Set<string>();
  const ended = new AbortController();
  let started = false;
  let timer: Timer | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** One decision at a time: each depends on what the one before has granted. */
  const inTurn = <T>(decide: () => Promise<T>): Promise<T> => {
    const turn = last.then(decide);
    last = turn.catch(() => {});
    return turn;
  };
  const othersOf = (pod: Pod): Pod[] =>
    options
      .activePods()
      .filter((other) => podUid(other) !== podUid(pod))
      .map(allocations.apply);

  const ask = async (pod: Pod, operation: 'add' | 'resize'): Promise<PodAdmitResult> =>
    admitHandlers.length === 0 ? { admit: true } : admit(admitHandlers, { pod, otherPods: othersOf(pod), operation }, ended.signal);

  const decide = async (pod: Pod, allocated: Pod): Promise<ResizeDecision> => {
    const decision = canResizePod({
      pod,
      allocated,
      allocatable: nodeResources(options.nodeAllocatable()),
      used: usedResources(othersOf(pod), options.actuatedPod),
      usesSwap: options.usesSwap,
      cpuManagerPolicy: options.cpuManagerPolicy,
      memoryManagerPolicy: options.memoryManagerPolicy,
    });
    if (!decision.fits) return decision;
    const result = await ask(pod, 'resize');
    if (result.admit) return decision;
    const { reason, message } = result;
    return reason === 'Infeasible'
      ? { fits: false, reason, message, detail: 'admit_handler' }
      : { fits: false, reason: 'Deferred', message };
  };

  /** Whether the pod has news. What is pushed meanwhile waits for the next turn. */
  const resize = async ({ pod, allocated }: PendingResize, trigger: RetryTrigger): Promise<boolean> => {
    const uid = podUid(pod);
    pending.delete(uid);
    if (pod === allocated) return conditions.delete(uid);
    const decision = await decide(pod, allocated);
    if (!decision.fits) {
      if (decision.reason === 'Deferred') pending.add(uid);
      return conditions.set(pod, decision);
    }
    allocations.grant(pod);
    await allocations.saved();
    conditions.accept(uid, trigger);
    recorder.event(podReference(pod), 'Normal', 'ResizeStarted', `Pod resize started: ${podResizeDetails(pod)}`);
    options.resizeStarted?.(pod);
    return true;
  };

  const waiting = (): PendingResize[] => {
    const active = options.activePods().filter((pod) => pending.has(podUid(pod)));
    return sortPendingResizes(active.map((pod) => ({ pod, allocated: allocations.apply(pod), since: conditions.since(podUid(pod)) })));
  };

  const retry = async (trigger: RetryTrigger) => {
    if (ended.signal.aborted || !allSourcesReady()) return;
    const resizes = waiting();
    const active = new Set(resizes.map(({ pod }) => podUid(pod)));
    for (const uid of pending) if (!active.has(uid)) pending.delete(uid);
    for (const each of resizes) {
      if (await resize(each, trigger)) options.syncPod(podUid(each.pod));
    }
  };

  const setTimer = () => {
    if (!started || ended.signal.aborted || pending.size === 0) {
      timer?.cancel();
      timer = undefined;
      return;
    }
    timer ??= clock.setTimeout(
      () => {
        timer = undefined;
        void manager.retryPendingResizes('periodic_retry');
      },
      allSourcesReady() ? retryPeriodMs : Math.min(retryPeriodMs, 30_000),
    );
  };

  const manager: AllocationManager = {
    async start(signal) {
      if (ended.signal.aborted) return;
      onAbort(signal, () => void manager.stop(), ended.signal);
      await allocations.load();
      started = true;
      setTimer();
    },
    async stop() {
      ended.abort();
      setTimer();
      await last;
      await allocations.saved();
    },
    addPod: (pod) =>
      inTurn(async () => {
        await allocations.load();
        ended.signal.throwIfAborted();
        const granted = allocations.apply(pod);
        const result = await ask(granted, 'add');
        if (!result.admit) return result;
        allocations.grant(granted);
        await allocations.saved();
        return result;
      }),
    updatePodFromAllocation: allocations.apply,
    pushPendingResize(pod) {
      const uid = podUid(pod);
      if (!allocations.has(uid) || (allocations.apply(pod) === pod && conditions.get(uid) === undefined)) return false;
      pending.add(uid);
      setTimer();
      return true;
    },
    isResizeUndecided: (pod) =>
      allocations.apply(pod) !== pod && conditions.get(podUid(pod))?.observedGeneration !== pod.metadata?.generation,
    async retryPendingResizes(trigger) {
      if (pending.size === 0) return;
      try {
        await inTurn(() => retry(trigger));
      } catch (error) {
        if (!ended.signal.aborted) logger.error({ err: error }, 'deciding on waiting resizes failed');
      }
      setTimer();
    },
    pendingResizes: () =>
      waiting().map(({ pod }) => {
        const { reason, message } = conditions.get(podUid(pod)) ?? {};
        return { podUid: podUid(pod), ...(reason && { reason }), ...(message && { message }) };
      }),
    resizeConditions(uid) {
      const condition = conditions.get(uid);
      return condition ? [condition] : [];
    },
    removePod(uid) {
      pending.delete(uid);
      conditions.delete(uid);
      allocations.delete(uid);
      setTimer();
    },
    removeOrphanedPods(known) {
      for (const uid of pending) if (!known.has(uid)) pending.delete(uid);
      conditions.retain(known);
      allocations.retain(known);
      setTimer();
    },
  };
  return manager;
}
