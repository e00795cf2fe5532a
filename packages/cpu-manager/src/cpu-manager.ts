import {
  type Container,
  errorMessage,
  type Pod,
  type Startable,
  type TopologyHint,
  type TopologyHintProvider,
  type TopologyHints,
} from '@nodeagent/api';
import { CpuSet, podUid } from '@nodeagent/api/helpers';
import { allocateCpus, type CpuPlan, planCpus } from './allocate-cpus.js';
import { containerCpuHints, podCpuHints } from './cpu-hints.js';
import { type CpuReconciler, createCpuReconciler } from './cpu-reconciler.js';
import { assignableContainers, exclusiveCpuCount } from './cpu-requests.js';
import { type CpuState, eachAssignment, emptyCpuState, exclusiveCpusOf, releaseCpus } from './cpu-state.js';
import { type CpuStore, createCpuStore } from './cpu-store.js';
import { invalidState } from './errors.js';
import { type CpuExplanation, explainPools } from './explain.js';
import { createCpuMetrics } from './metrics.js';
import { type CpuManagerOptions, type ResolvedOptions, resolveOptions } from './options.js';
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
  return new Manager(resolveOptions(options));
}

class Manager implements CpuManager {
  readonly #options: ResolvedOptions;
  readonly #policy: StaticPolicy | undefined;
  readonly #policyName: 'none' | 'static';
  readonly #metrics;
  readonly #store: CpuStore;
  readonly #reconciler: CpuReconciler;
  #state: CpuState = emptyCpuState;
  /** The pod whose admission is in progress or was the last one: it may not be active yet. */
  #pendingPod: Pod | undefined;
  #started: Promise<void> | undefined;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#policy = options.policy;
    this.#policyName = options.policy === undefined ? 'none' : 'static';
    this.#metrics = createCpuMetrics(options.metrics);
    const { stateFile: path, store: file, logger } = options;
    const currentState = () => this.#state;
    this.#store = createCpuStore({ path, file, policyName: this.#policyName, currentState, logger });
    this.#reconciler = createCpuReconciler({ ...options, currentState, removeStaleState: () => this.#removeStaleState() });
  }

  async start(signal?: AbortSignal): Promise<void> {
    this.#started ??= this.#initialize().catch((error) => {
      this.#started = undefined;
      throw error;
    });
    await this.#started;
    if (this.#policy !== undefined) await this.#reconciler.start(signal);
  }

  async stop(): Promise<void> {
    await this.#reconciler.stop();
    await this.#store.idle();
  }

  getTopologyHints(pod: Pod, container: Container): TopologyHints {
    if (this.#policy === undefined) return {};
    this.#pendingPod = pod;
    void this.#removeStaleState();
    return containerCpuHints(this.#policy, this.#state, pod, container);
  }

  getPodTopologyHints(pod: Pod): TopologyHints {
    if (this.#policy === undefined) return {};
    this.#pendingPod = pod;
    void this.#removeStaleState();
    return podCpuHints(this.#policy, this.#state, pod);
  }

  async allocate(pod: Pod, container: Container, hint: TopologyHint): Promise<void> {
    if (this.#policy === undefined) return;
    this.#pendingPod = pod;
    const saved = this.#removeStaleState();
    const isLast = assignableContainers(pod).at(-1)?.name === container.name;
    const allocated = this.#allocateOne(this.#policy, pod, container, hint);
    const next = isLast ? reuseInitCpus(this.#policy, allocated, pod) : allocated;
    if (next.assignments === this.#state.assignments) this.#state = next;
    else await this.#changeState(next);
    await saved;
  }

  addContainer(podUID: string, containerName: string): void {
    const cpus = exclusiveCpusOf(this.#state, podUID, containerName);
    if (cpus !== undefined) this.#reconciler.setLastCpus(podUID, containerName, cpus);
  }

  getCpuAffinity(podUID: string, containerName: string): CpuSet {
    return exclusiveCpusOf(this.#state, podUID, containerName) ?? this.#state.defaultCpuSet;
  }

  getExclusiveCpus(podUID: string, containerName: string): CpuSet {
    return exclusiveCpusOf(this.#state, podUID, containerName) ?? CpuSet.empty;
  }

  getAllocatableCpus(): CpuSet {
    return this.#policy?.allocatable ?? CpuSet.empty;
  }

  plan(pod: Pod): CpuPlan {
    return this.#policy === undefined ? planNone(pod) : planCpus(this.#policy, this.#state, pod);
  }

  explain(): CpuExplanation {
    const { lastReconcile } = this.#reconciler;
    return {
      policy: this.#policyName,
      stateFile: this.#options.stateFile,
      ...(this.#policy !== undefined && { pools: explainPools(this.#policy, this.#state) }),
      ...(lastReconcile !== undefined && { lastReconcile }),
    };
  }

  /** Replaces the state and saves it; returns when it is saved. */
  async #changeState(next: CpuState): Promise<void> {
    this.#state = next;
    if (this.#policy !== undefined) this.#metrics.observe(this.#policy, this.#state);
    await this.#store.save();
  }

  /** The state with the CPUs of one container. */
  #allocateOne(staticPolicy: StaticPolicy, pod: Pod, container: Container, hint: TopologyHint): CpuState {
    if (exclusiveCpuCount(pod, container) === 0) return this.#state;
    this.#metrics.countRequest();
    try {
      const allocation = allocateCpus(staticPolicy, this.#state, pod, container, hint);
      this.#metrics.countAlignment(staticPolicy, allocation.isNew ? allocation.cpus : undefined);
      return allocation.state;
    } catch (error) {
      this.#metrics.countFailure(staticPolicy);
      throw error;
    }
  }

  /** Takes back the CPUs of containers whose pods are no longer active, once these have stopped. */
  #removeStaleState(): Promise<void> {
    const { activePods, sourcesReady, couldHaveRunningContainers, logger } = this.#options;
    if (!sourcesReady()) return Promise.resolve();
    const pods = this.#pendingPod === undefined ? activePods() : [...activePods(), this.#pendingPod];
    const active = new Map(pods.map((pod) => [podUid(pod), new Set(assignableContainers(pod).map(({ name }) => name))]));
    this.#reconciler.forgetPodsExcept(active);
    let next = this.#state;
    for (const { podUID, containerName, cpus } of eachAssignment(this.#state.assignments)) {
      if (active.get(podUID)?.has(containerName) ?? couldHaveRunningContainers(podUID)) continue;
      logger.info({ podUID, containerName, cpus: cpus.toString() }, 'RemoveStaleState: removing container');
      next = releaseCpus(next, podUID, containerName);
    }
    return next === this.#state ? Promise.resolve() : this.#changeState(next);
  }

  async #initialize(): Promise<void> {
    const running = new Map((await this.#options.runningContainers()).map((container) => [container.containerId, container]));
    const restored = await this.#store.load((containerId) => running.get(containerId));
    try {
      this.#state = this.#policy === undefined ? restored : startState(this.#policy, restored);
    } catch (error) {
      const message = `invalid state, please drain node and remove policy state file: ${errorMessage(error)}`;
      throw invalidState(this.#options.stateFile, message, error);
    }
    await this.#changeState(this.#state);
  }
}

const planNone = (pod: Pod): CpuPlan => ({
  containers: assignableContainers(pod).map(({ name }) => ({ containerName: name, cpus: null })),
});
