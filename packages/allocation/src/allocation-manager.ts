import {
  type AllocationManager,
  checkOptionNames,
  invalidOption,
  noEvents,
  noMetrics,
  type OptionNames,
  onAbort,
  type Pod,
  type PodAdmitResult,
  podReference,
  podResizeDetails,
  podUid,
  type RetryTrigger,
  requirePositive,
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

const optionNames: OptionNames<AllocationManagerOptions> = {
  activePods: true,
  nodeAllocatable: true,
  syncPod: true,
  resizeStarted: true,
  allSourcesReady: true,
  admitHandlers: true,
  actuatedPod: true,
  usesSwap: true,
  cpuManagerPolicy: true,
  memoryManagerPolicy: true,
  store: true,
  retryPeriodMs: true,
  clock: true,
  recorder: true,
  logger: true,
  metrics: true,
};

/** Creates an {@link AllocationManager}. Throws `InvalidOption` naming the option. */
export function createAllocationManager(options: AllocationManagerOptions): AllocationManager {
  checkOptionNames('createAllocationManager', options, optionNames);
  for (const name of ['activePods', 'nodeAllocatable', 'syncPod'] as const) {
    if (typeof options[name] !== 'function') throw invalidOption(name, 'a function', options[name]);
  }
  requirePositive('retryPeriodMs', options.retryPeriodMs);
  const { admitHandlers = [], allSourcesReady = () => true, retryPeriodMs = 180_000 } = options;
  const { clock = systemClock, recorder = noEvents, logger = silentLogger, metrics = noMetrics } = options;
  const allocations = createSavedAllocations({ store: options.store, clock, logger });
  const conditions = createPendingConditions({ clock, recorder, metrics });
  /** UIDs of pods with a pending resize. */
  const pending = new Set<string>();
  const ended = new AbortController();
  let started = false;
  let timer: Timer | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** Serialises decisions, because each depends on the allocations of the previous one. */
  const inTurn = <T>(decide: () => Promise<T>): Promise<T> => {
    const turn = last.then(decide);
    last = turn.catch(() => {});
    return turn;
  };
  /** A pod that was deleted before its admission starts no container. */
  const usesResources = ({ metadata = {} }: Pod) => metadata.deletionTimestamp === undefined || allocations.has(metadata.uid ?? '');
  const othersOf = (pod: Pod): Pod[] =>
    options
      .activePods()
      .filter((other) => podUid(other) !== podUid(pod) && usesResources(other))
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

  /**
   * Returns whether the pod must be synced. A resize that is pushed meanwhile is handled in the next turn; one of a pod that is removed
   * meanwhile is dropped.
   */
  const resize = async ({ pod, allocated }: PendingResize, trigger: RetryTrigger): Promise<boolean> => {
    const uid = podUid(pod);
    pending.delete(uid);
    if (pod === allocated) return conditions.delete(uid);
    const decision = await decide(pod, allocated);
    if (!allocations.has(uid)) return false;
    if (!decision.fits) {
      if (decision.reason === 'Deferred') pending.add(uid);
      return conditions.set(pod, decision);
    }
    await allocations.grant(pod);
    if (!allocations.has(uid)) return false;
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
      if (!pending.has(podUid(each.pod))) continue;
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
      await allocations.stop();
    },
    addPod: (pod) =>
      inTurn(async () => {
        await allocations.load();
        ended.signal.throwIfAborted();
        const granted = allocations.apply(pod);
        const result = await ask(granted, 'add');
        if (!result.admit) return result;
        if (granted !== pod) conditions.restore(pod);
        await allocations.grant(granted);
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
        if (!ended.signal.aborted) logger.error({ err: error }, 'failed to retry pending resizes');
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
