import {
  type AllocationManager,
  type Clock,
  errorMessage,
  type Pod,
  type PodAdmitResult,
  type PodCondition,
  podUid,
  Quantity,
  type ResourceRequirements,
  type Timer,
} from '@nodeagent/api';
import type { AllocationPorts } from './subject.js';

const retryPeriodMs = 60_000;

/** Resources by container. */
export type TestGrant = Record<string, ResourceRequirements>;

/** The ports of {@link createTestAllocationManager}; `grants` outlives it. */
export interface TestAllocationPorts extends AllocationPorts {
  clock: Pick<Clock, 'setTimeout'>;
  grants: Map<string, TestGrant>;
}

/** An allocation manager for CPU only, with its grants in a map. */
export function createTestAllocationManager(ports: TestAllocationPorts): AllocationManager {
  const { activePods, nodeAllocatable, syncPod, admitHandlers, clock, grants } = ports;
  const pending = new Set<string>();
  const conditions = new Map<string, PodCondition>();
  let last: Promise<unknown> = Promise.resolve();
  let timer: Timer | undefined;
  let isStopped = false;

  const granted = (pod: Pod): Pod => {
    const grant = grants.get(podUid(pod));
    if (!grant || !pod.spec) return pod;
    const containers = pod.spec.containers.map((each) => ({ ...each, resources: grant[each.name] ?? each.resources ?? {} }));
    return { ...pod, spec: { ...pod.spec, containers } };
  };
  const grant = ({ metadata, spec }: Pod) => {
    grants.set(metadata?.uid ?? '', Object.fromEntries((spec?.containers ?? []).map(({ name, resources = {} }) => [name, resources])));
  };
  const milliCpu = (pod: Pod) => (pod.spec?.containers ?? []).reduce((sum, { resources }) => sum + milli(resources?.requests?.cpu), 0);
  const isDifferent = (pod: Pod) => milliCpu(pod) !== milliCpu(granted(pod));
  const others = (pod: Pod) =>
    activePods()
      .filter((other) => podUid(other) !== podUid(pod))
      .map(granted);
  const admit = async (pod: Pod, operation: 'add' | 'resize'): Promise<PodAdmitResult> => {
    for (const handler of admitHandlers) {
      try {
        const result = await handler.admit({ pod, otherPods: others(pod), operation });
        if (!result.admit) return result;
      } catch (error) {
        return { admit: false, reason: 'UnexpectedAdmissionError', message: errorMessage(error) };
      }
    }
    return { admit: true };
  };
  const refusal = async (pod: Pod): Promise<string | undefined> => {
    const capacity = milli(nodeAllocatable().cpu);
    if (milliCpu(pod) > capacity) return 'Infeasible';
    if (others(pod).reduce((sum, other) => sum + milliCpu(other), milliCpu(pod)) > capacity) return 'Deferred';
    const result = await admit(pod, 'resize');
    if (result.admit) return undefined;
    return result.reason === 'Infeasible' ? 'Infeasible' : 'Deferred';
  };
  const decide = async (pod: Pod): Promise<boolean> => {
    const uid = podUid(pod);
    const before = conditions.get(uid);
    if (!isDifferent(pod)) {
      pending.delete(uid);
      return conditions.delete(uid);
    }
    const reason = await refusal(pod);
    if (reason !== 'Deferred') pending.delete(uid);
    if (reason === undefined) {
      grant(pod);
      conditions.delete(uid);
      return true;
    }
    const { generation } = pod.metadata ?? {};
    conditions.set(uid, { type: 'PodResizePending', status: 'True', reason, ...(generation && { observedGeneration: generation }) });
    return before?.reason !== reason;
  };
  const waiting = () => {
    const active = new Map(activePods().map((pod) => [podUid(pod), pod]));
    return [...pending].flatMap((uid) => active.get(uid) ?? []);
  };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
  const forget = (uid: string) => {
    pending.delete(uid);
    conditions.delete(uid);
    grants.delete(uid);
  };

  const self: AllocationManager = {
    async start(signal) {
      signal?.addEventListener('abort', () => void self.stop());
      const next = () => {
        if (isStopped) return;
        void self.retryPendingResizes('periodic_retry');
        timer = clock.setTimeout(next, retryPeriodMs);
      };
      timer ??= clock.setTimeout(next, retryPeriodMs);
    },
    async stop() {
      isStopped = true;
      timer?.cancel();
      await last;
    },
    addPod: (pod) =>
      inTurn(async () => {
        if (isStopped) throw new Error('the allocation manager is stopped');
        const result = await admit(granted(pod), 'add');
        if (result.admit) grant(granted(pod));
        return result;
      }),
    updatePodFromAllocation: granted,
    pushPendingResize(pod) {
      const uid = podUid(pod);
      if (!grants.has(uid) || (!isDifferent(pod) && !conditions.has(uid))) return false;
      pending.add(uid);
      return true;
    },
    isResizeUndecided: (pod) => isDifferent(pod) && conditions.get(podUid(pod))?.observedGeneration !== pod.metadata?.generation,
    retryPendingResizes: () =>
      inTurn(async () => {
        for (const pod of isStopped ? [] : waiting()) if (await decide(pod)) syncPod(podUid(pod));
      }),
    pendingResizes: () =>
      waiting().map((pod) => {
        const { reason } = conditions.get(podUid(pod)) ?? {};
        return { podUid: podUid(pod), ...(reason && { reason }) };
      }),
    resizeConditions(uid) {
      const condition = conditions.get(uid);
      return condition ? [condition] : [];
    },
    removePod: forget,
    removeOrphanedPods(known) {
      for (const uid of new Set([...grants.keys(), ...pending, ...conditions.keys()])) if (!known.has(uid)) forget(uid);
    },
  };
  return self;
}

const milli = (quantity: string | undefined) => (quantity === undefined ? 0 : Number(Quantity.parse(quantity).milliValue()));
