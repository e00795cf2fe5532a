import {
  type AllocationManager,
  type Clock,
  errorMessage,
  type Pod,
  type PodAdmitResult,
  type PodCondition,
  type ResourceRequirements,
  type Timer,
} from '@nodeagent/api';
import { podUid, Quantity } from '@nodeagent/api/helpers';
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
  return new CpuGrants(ports);
}

class CpuGrants implements AllocationManager {
  readonly #ports: TestAllocationPorts;
  readonly #grants: Map<string, TestGrant>;
  readonly #pending = new Set<string>();
  readonly #conditions = new Map<string, PodCondition>();
  #last: Promise<unknown> = Promise.resolve();
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(ports: TestAllocationPorts) {
    this.#ports = ports;
    this.#grants = ports.grants;
  }

  async start(signal?: AbortSignal): Promise<void> {
    signal?.addEventListener('abort', () => void this.stop());
    const { clock } = this.#ports;
    const next = () => {
      if (this.#isStopped) return;
      void this.retryPendingResizes();
      this.#timer = clock.setTimeout(next, retryPeriodMs);
    };
    this.#timer ??= clock.setTimeout(next, retryPeriodMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#last;
  }

  addPod(pod: Pod): Promise<PodAdmitResult> {
    return this.#inTurn(async () => {
      if (this.#isStopped) throw new Error('the allocation manager is stopped');
      const result = await this.#admit(this.#granted(pod), 'add');
      if (result.admit) this.#grant(this.#granted(pod));
      return result;
    });
  }

  updatePodFromAllocation(pod: Pod): Pod {
    return this.#granted(pod);
  }

  pushPendingResize(pod: Pod): boolean {
    const uid = podUid(pod);
    if (!this.#grants.has(uid) || (!this.#isDifferent(pod) && !this.#conditions.has(uid))) return false;
    this.#pending.add(uid);
    return true;
  }

  isResizeUndecided(pod: Pod): boolean {
    return this.#isDifferent(pod) && this.#conditions.get(podUid(pod))?.observedGeneration !== pod.metadata?.generation;
  }

  retryPendingResizes(): Promise<void> {
    return this.#inTurn(async () => {
      for (const pod of this.#isStopped ? [] : this.#waiting()) if (await this.#decide(pod)) this.#ports.syncPod(podUid(pod));
    });
  }

  pendingResizes(): { podUid: string; reason?: string }[] {
    return this.#waiting().map((pod) => {
      const { reason } = this.#conditions.get(podUid(pod)) ?? {};
      return { podUid: podUid(pod), ...(reason && { reason }) };
    });
  }

  resizeConditions(uid: string): PodCondition[] {
    const condition = this.#conditions.get(uid);
    return condition ? [condition] : [];
  }

  removePod(uid: string): void {
    this.#forget(uid);
  }

  removeOrphanedPods(known: ReadonlySet<string>): void {
    const uids = new Set([...this.#grants.keys(), ...this.#pending, ...this.#conditions.keys()]);
    for (const uid of uids) if (!known.has(uid)) this.#forget(uid);
  }

  /** Runs the work after that of earlier calls. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  #waiting(): Pod[] {
    const active = new Map(this.#ports.activePods().map((pod) => [podUid(pod), pod]));
    return [...this.#pending].flatMap((uid) => active.get(uid) ?? []);
  }

  /** Decides a resize; returns whether the pod must be synced. */
  async #decide(pod: Pod): Promise<boolean> {
    const uid = podUid(pod);
    const before = this.#conditions.get(uid);
    if (!this.#isDifferent(pod)) {
      this.#pending.delete(uid);
      return this.#conditions.delete(uid);
    }
    const reason = await this.#refusal(pod);
    if (reason !== 'Deferred') this.#pending.delete(uid);
    if (reason === undefined) {
      this.#grant(pod);
      this.#conditions.delete(uid);
      return true;
    }
    const { generation } = pod.metadata ?? {};
    this.#conditions.set(uid, { type: 'PodResizePending', status: 'True', reason, ...(generation && { observedGeneration: generation }) });
    return before?.reason !== reason;
  }

  /** Why the node cannot run the resized pod. */
  async #refusal(pod: Pod): Promise<string | undefined> {
    const capacity = milli(this.#ports.nodeAllocatable().cpu);
    if (milliCpu(pod) > capacity) return 'Infeasible';
    if (this.#others(pod).reduce((sum, other) => sum + milliCpu(other), milliCpu(pod)) > capacity) return 'Deferred';
    const result = await this.#admit(pod, 'resize');
    if (result.admit) return undefined;
    return result.reason === 'Infeasible' ? 'Infeasible' : 'Deferred';
  }

  async #admit(pod: Pod, operation: 'add' | 'resize'): Promise<PodAdmitResult> {
    for (const handler of this.#ports.admitHandlers) {
      try {
        const result = await handler.admit({ pod, otherPods: this.#others(pod), operation });
        if (!result.admit) return result;
      } catch (error) {
        return { admit: false, reason: 'UnexpectedAdmissionError', message: errorMessage(error) };
      }
    }
    return { admit: true };
  }

  #others(pod: Pod): Pod[] {
    const others = this.#ports.activePods().filter((other) => podUid(other) !== podUid(pod));
    return others.map((other) => this.#granted(other));
  }

  /** The pod with its granted resources. */
  #granted(pod: Pod): Pod {
    const grant = this.#grants.get(podUid(pod));
    if (!grant || !pod.spec) return pod;
    const containers = pod.spec.containers.map((each) => ({ ...each, resources: grant[each.name] ?? each.resources ?? {} }));
    return { ...pod, spec: { ...pod.spec, containers } };
  }

  #grant({ metadata, spec }: Pod): void {
    const resources = (spec?.containers ?? []).map(({ name, resources: own = {} }) => [name, own] as const);
    this.#grants.set(metadata?.uid ?? '', Object.fromEntries(resources));
  }

  #forget(uid: string): void {
    this.#pending.delete(uid);
    this.#conditions.delete(uid);
    this.#grants.delete(uid);
  }

  #isDifferent(pod: Pod): boolean {
    return milliCpu(pod) !== milliCpu(this.#granted(pod));
  }
}

const milliCpu = (pod: Pod) => (pod.spec?.containers ?? []).reduce((sum, { resources }) => sum + milli(resources?.requests?.cpu), 0);

const milli = (quantity: string | undefined) => (quantity === undefined ? 0 : Number(Quantity.parse(quantity).milliValue()));
