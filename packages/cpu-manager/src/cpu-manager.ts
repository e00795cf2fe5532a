import {
  type Container,
  CpuSet,
  checkOptionNames,
  createRunLoop,
  errorMessage,
  type Pod,
  podUid,
  type Startable,
  type TopologyHint,
  type TopologyHintProvider,
} from '@nodeagent/api';
import { allocateCpus, type CpuPlan, planCpus } from './allocate-cpus.js';
import { containerCpuHints, podCpuHints } from './cpu-hints.js';
import { assignableContainers, exclusiveCpuCount } from './cpu-requests.js';
import { type CpuState, eachAssignment, emptyCpuState, exclusiveCpusOf, releaseCpus } from './cpu-state.js';
import { createCpuStore } from './cpu-store.js';
import { invalidState } from './errors.js';
import { type CpuExplanation, explainPools, type ReconcileExplanation } from './explain.js';
import { createCpuMetrics } from './metrics.js';
import { type CpuManagerOptions, optionNames, resolveOptions } from './options.js';
import { type CpuUpdate, planCpuUpdates } from './reconcile.js';
import { reuseInitCpus } from './reuse-init-cpus.js';
import { type StaticPolicy, startState } from './static-policy.js';

/** Assigns exclusive CPUs to containers, and keeps all others off them. */
export interface CpuManager extends TopologyHintProvider, Startable {
  /**
   * Reads the state file, or writes a new one, and checks it against the machine; with the static policy it then reconciles until `stop`. Must
   * resolve before the first pod is admitted. Rejects with `InvalidCpuManagerState`. Idempotent.
   */
  start(signal?: AbortSignal): Promise<void>;
  /** Records that a container was created with the CPUs of `getCpuAffinity`. */
  addContainer(podUID: string, containerName: string): void;
  /** The CPUs of a container that is being created: its exclusive ones, else the shared pool. Empty with the policy `none`: any CPU. */
  getCpuAffinity(podUID: string, containerName: string): CpuSet;
  /** The exclusive CPUs of a container; empty if it has none. */
  getExclusiveCpus(podUID: string, containerName: string): CpuSet;
  /** The CPUs that containers can get exclusively on a node without pods. Empty with the policy `none`. */
  getAllocatableCpus(): CpuSet;
  /** The CPUs that a pod would get now, without hints of a topology manager. Assigns nothing. */
  plan(pod: Pod): CpuPlan;
  /** Explains who has which CPUs. */
  explain(): CpuExplanation;
}

/** Creates a {@link CpuManager}. Throws `InvalidOption`, with the kubelet's text where it has one. */
export function createCpuManager(options: CpuManagerOptions): CpuManager {
  checkOptionNames('createCpuManager', options, optionNames);
  const resolved = resolveOptions(options);
  const { policy, stateFile, clock, logger, activePods, podStatus, updateContainerCpuset } = resolved;
  const policyName = policy === undefined ? 'none' : 'static';
  const metrics = createCpuMetrics(resolved.metrics);

  let state: CpuState = emptyCpuState;
  const store = createCpuStore({ path: stateFile, file: resolved.store, policyName, currentState: () => state, logger });
  /** The CPUs that each container was given last, by pod UID and container name. */
  const lastCpus = new Map<string, Map<string, CpuSet>>();
  /** The pod whose admission is in progress or was the last one: it may not be active yet. */
  let pendingPod: Pod | undefined;
  let lastReconcile: ReconcileExplanation | undefined;
  let started: Promise<void> | undefined;

  const setLastCpus = (podUID: string, containerName: string, cpus: CpuSet) =>
    lastCpus.set(podUID, (lastCpus.get(podUID) ?? new Map<string, CpuSet>()).set(containerName, cpus));

  /** Replaces the state and saves it; returns when it is saved. */
  async function changeState(next: CpuState): Promise<void> {
    state = next;
    if (policy !== undefined) metrics.observe(policy, state);
    await store.save();
  }

  /** The state with the CPUs of one container. */
  function allocateOne(staticPolicy: StaticPolicy, pod: Pod, container: Container, hint: TopologyHint): CpuState {
    if (exclusiveCpuCount(pod, container) === 0) return state;
    metrics.countRequest();
    try {
      const allocation = allocateCpus(staticPolicy, state, pod, container, hint);
      metrics.countAlignment(staticPolicy, allocation.isNew ? allocation.cpus : undefined);
      return allocation.state;
    } catch (error) {
      metrics.countFailure(staticPolicy);
      throw error;
    }
  }

  /** Takes back the CPUs of containers whose pods are no longer active, once these have stopped. */
  function removeStaleState(): Promise<void> {
    if (!resolved.sourcesReady()) return Promise.resolve();
    const pods = pendingPod === undefined ? activePods() : [...activePods(), pendingPod];
    const active = new Map(pods.map((pod) => [podUid(pod), new Set(assignableContainers(pod).map(({ name }) => name))]));
    for (const podUID of lastCpus.keys()) if (!active.has(podUID)) lastCpus.delete(podUID);
    let next = state;
    for (const { podUID, containerName, cpus } of eachAssignment(state.assignments)) {
      if (active.get(podUID)?.has(containerName) ?? resolved.couldHaveRunningContainers(podUID)) continue;
      logger.info({ podUID, containerName, cpus: cpus.toString() }, 'RemoveStaleState: removing container');
      next = releaseCpus(next, podUID, containerName);
    }
    return next === state ? Promise.resolve() : changeState(next);
  }

  async function initialize(): Promise<void> {
    const running = new Map((await resolved.runningContainers()).map((container) => [container.containerId, container]));
    const restored = await store.load((containerId) => running.get(containerId));
    try {
      state = policy === undefined ? restored : startState(policy, restored);
    } catch (error) {
      const message = `invalid state, please drain node and remove policy state file: ${errorMessage(error)}`;
      throw invalidState(stateFile, message, error);
    }
    await changeState(state);
  }

  async function update({ podUID, containerName, containerId = '', cpus }: CpuUpdate): Promise<void> {
    logger.debug({ podUID, containerName, containerID: containerId, cpuSet: cpus.toString() }, 'Updating container');
    await updateContainerCpuset(containerId, cpus);
    setLastCpus(podUID, containerName, cpus);
  }

  async function reconcile(signal: AbortSignal): Promise<void> {
    await removeStaleState();
    const result: ReconcileExplanation = { at: clock.now(), updated: 0, failures: [] };
    const fail = ({ podUID, containerName }: CpuUpdate, reason: string) => result.failures.push({ podUID, containerName, reason });
    for (const pod of activePods()) {
      // Compared pod by pod, because an allocation during an update changes the shared pool.
      const updates = planCpuUpdates({ state, pods: [pod], podStatus, lastCpus: (podUID, name) => lastCpus.get(podUID)?.get(name) });
      for (const each of updates) {
        if (signal.aborted) return;
        if (each.action === 'fail') fail(each, each.reason ?? '');
        if (each.action !== 'update') continue;
        try {
          await update(each);
          result.updated++;
        } catch (error) {
          const { podUID, containerName } = each;
          logger.error({ podUID, containerName, err: error }, 'ReconcileState: failed to update container');
          fail(each, errorMessage(error));
        }
      }
    }
    lastReconcile = result;
  }

  const loop = createRunLoop(async (signal) => {
    while (!signal.aborted) {
      await reconcile(signal).catch((error) => logger.error({ err: error }, 'cpu manager: failed to reconcile'));
      await clock.sleep(resolved.reconcilePeriodMs, signal).catch(() => {});
    }
  });

  return {
    async start(signal) {
      started ??= initialize().catch((error) => {
        started = undefined;
        throw error;
      });
      await started;
      if (policy !== undefined) await loop.start(signal);
    },
    async stop() {
      await loop.stop();
      await store.idle();
    },
    getTopologyHints(pod, container) {
      if (policy === undefined) return {};
      pendingPod = pod;
      void removeStaleState();
      return containerCpuHints(policy, state, pod, container);
    },
    getPodTopologyHints(pod) {
      if (policy === undefined) return {};
      pendingPod = pod;
      void removeStaleState();
      return podCpuHints(policy, state, pod);
    },
    async allocate(pod, container, hint) {
      if (policy === undefined) return;
      pendingPod = pod;
      const saved = removeStaleState();
      const isLast = assignableContainers(pod).at(-1)?.name === container.name;
      const allocated = allocateOne(policy, pod, container, hint);
      const next = isLast ? reuseInitCpus(policy, allocated, pod) : allocated;
      if (next.assignments === state.assignments) state = next;
      else await changeState(next);
      await saved;
    },
    addContainer(podUID, containerName) {
      const cpus = exclusiveCpusOf(state, podUID, containerName);
      if (cpus !== undefined) setLastCpus(podUID, containerName, cpus);
    },
    getCpuAffinity: (podUID, containerName) => exclusiveCpusOf(state, podUID, containerName) ?? state.defaultCpuSet,
    getExclusiveCpus: (podUID, containerName) => exclusiveCpusOf(state, podUID, containerName) ?? CpuSet.empty,
    getAllocatableCpus: () => policy?.allocatable ?? CpuSet.empty,
    plan: (pod) => (policy === undefined ? planNone(pod) : planCpus(policy, state, pod)),
    explain: () => ({
      policy: policyName,
      stateFile,
      ...(policy !== undefined && { pools: explainPools(policy, state) }),
      ...(lastReconcile !== undefined && { lastReconcile }),
    }),
  };
}

const planNone = (pod: Pod): CpuPlan => ({
  containers: assignableContainers(pod).map(({ name }) => ({ containerName: name, cpus: null })),
});
