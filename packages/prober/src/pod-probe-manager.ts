import {
  type Clock,
  type Container,
  type EventRecorder,
  type Logger,
  type Metrics,
  noEvents,
  noMetrics,
  type Pod,
  type PodStatus,
  type Probe,
  type ProbeManager,
  type ProbeResults,
  type ProbeView,
  type Random,
  requirePositive,
  silentLogger,
  systemClock,
  systemRandom,
} from '@nodeagent/api';
import { containerReference, isSidecar, podKey, podUid } from '@nodeagent/api/helpers';
import { type ContainerAttempts, createContainerAttempts } from './container-attempts.js';
import type { CommandResult } from './handlers/exec.js';
import { createLimiter, type Limiter } from './limiter.js';
import { createProberMetrics } from './metrics.js';
import type { ProbeNetwork } from './probe-network.js';
import { initialProbeState, observedContainer, type ProbeType } from './probe-state.js';
import { type ProbeWorker, startProbeWorker } from './probe-worker.js';
import { createResultStore, type ResultStore } from './result-store.js';
import { type RunProbe, runProbe } from './run-probe.js';
import { createUpdateQueue } from './update-queue.js';

/** Options of {@link createPodProbeManager}. */
export interface PodProbeManagerOptions {
  /** The pod's reported status, with its IP, container IDs and `started`. Undefined for a pod without a status. */
  podStatus(uid: string): PodStatus | undefined;
  /**
   * Runs the command of an exec probe. `containerId` has no `<runtime>://`. Rejects with the code `CRI_DEADLINE_EXCEEDED` if the command
   * takes longer than `timeoutMs`. Default: none, exec probes result in an error.
   */
  runInContainer?(containerId: string, command: string[], options: { timeoutMs: number; signal: AbortSignal }): Promise<CommandResult>;
  /** Default: the system clock. */
  clock?: Clock;
  /** Randomness for jitter. Default: Math.random. */
  random?: Random;
  recorder?: EventRecorder;
  logger?: Logger;
  metrics?: Metrics;
  /** Maximum number of concurrent probes; others wait, and their timeout starts when they run. Default 500. */
  maxConcurrentProbes?: number;
  /** Default `kube-probe/1.36`. */
  userAgent?: string;
  /** Reaches the containers of HTTP, TCP and gRPC probes. Default: none, such probes result in an error. */
  network?: ProbeNetwork | undefined;
  /** Makes the attempts. Default {@link runProbe} over `network`. */
  runProbe?: RunProbe | undefined;
}

/** In the order of the lookup. */
const probeTypes = ['Startup', 'Readiness', 'Liveness'] as const;

/**
 * Creates a manager that runs the probes of pods as the kubelet does. Starts no timer before the first pod is added. Throws
 * `InvalidOption`.
 */
export function createPodProbeManager(options: PodProbeManagerOptions): ProbeManager {
  requirePositive('maxConcurrentProbes', options.maxConcurrentProbes, { integer: true });
  return new Manager(options);
}

class Manager implements ProbeManager {
  readonly updates = createUpdateQueue();
  readonly results: ProbeResults;
  readonly #podStatus: PodProbeManagerOptions['podStatus'];
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #recorder: EventRecorder;
  readonly #logger: Logger;
  readonly #metrics;
  readonly #limiter: Limiter;
  readonly #attempts: ContainerAttempts;
  readonly #stores: Readonly<Record<ProbeType, ResultStore>>;
  readonly #startedAt: number;
  readonly #startedMonotonic: number;
  /** Workers by pod, then by container and probe type. */
  readonly #workers = new Map<string, Map<string, ProbeWorker>>();
  /**
   * Containers that will not run again, with the keys of `workers`. Without it each sync of the pod would start to probe them and trigger
   * another sync.
   */
  readonly #over = new Map<string, Map<string, string>>();
  /** Stopped workers with an attempt in flight. */
  readonly #ending = new Set<Promise<void>>();

  constructor(options: PodProbeManagerOptions) {
    const { podStatus, clock = systemClock, random = systemRandom, recorder = noEvents, logger = silentLogger } = options;
    const { maxConcurrentProbes = 500, runInContainer, userAgent, network, runProbe: run = runProbe } = options;
    this.#podStatus = podStatus;
    this.#clock = clock;
    this.#random = random;
    this.#recorder = recorder;
    this.#logger = logger;
    this.#startedAt = clock.now();
    this.#startedMonotonic = clock.monotonic();
    this.#metrics = createProberMetrics(options.metrics ?? noMetrics);
    this.#limiter = createLimiter(maxConcurrentProbes);
    this.#attempts = createContainerAttempts({ run, runInContainer, clock, userAgent, network });
    const store = (type: ProbeType) => createResultStore(type, (update) => this.updates.offer(update));
    this.#stores = { Liveness: store('Liveness'), Readiness: store('Readiness'), Startup: store('Startup') };
    const { Liveness, Readiness, Startup } = this.#stores;
    this.results = { liveness: Liveness.get, readiness: Readiness.get, startup: Startup.get };
  }

  view(pod: Pod): ProbeView {
    return {
      startedAt: this.#startedAt,
      readiness: this.results.readiness,
      startup: this.results.startup,
      hasWorker: (name, kind) =>
        this.#workers.get(podUid(pod))?.has(workerKey(name, kind === 'startup' ? 'Startup' : 'Readiness')) ?? false,
    };
  }

  addPod(pod: Pod): void {
    for (const container of probedContainers(pod)) {
      for (const type of probeTypes) {
        const probe = probeOf(container, type);
        if (!probe) continue;
        // An existing worker means that the pod was added before.
        if (this.#workers.get(podUid(pod))?.has(workerKey(container.name, type))) return;
        if (!this.#isOver(podUid(pod), container.name, type)) this.#start(pod, container, type, probe);
      }
    }
  }

  probeNow(pod: Pod, names: readonly string[]): void {
    const ofPod = this.#workers.get(podUid(pod));
    for (const name of names) ofPod?.get(workerKey(name, 'Readiness'))?.trigger();
  }

  stopLivenessAndStartup(pod: Pod): void {
    this.#stopWorkers(pod, pod.spec?.containers ?? [], ['Liveness', 'Startup']);
  }

  removePod(pod: Pod): void {
    this.#stopWorkers(pod, probedContainers(pod), probeTypes);
    this.#over.delete(podUid(pod));
  }

  cleanupPods(desired: ReadonlySet<string>): void {
    for (const uid of [...this.#workers.keys(), ...this.#over.keys()]) if (!desired.has(uid)) this.#stopPod(uid);
  }

  async stop(): Promise<void> {
    for (const uid of [...this.#workers.keys()]) this.#stopPod(uid);
    this.#attempts.abort(new Error('the probe manager was stopped'));
    await Promise.all(this.#ending);
  }

  #start(pod: Pod, container: Container, type: ProbeType, probe: Probe): void {
    const uid = podUid(pod);
    const key = workerKey(container.name, type);
    const periodMs = (probe.periodSeconds || 10) * 1000;
    const reference = containerReference(pod, container.name);
    const ofPod = this.#workers.get(uid) ?? new Map<string, ProbeWorker>();
    this.#workers.set(uid, ofPod);
    const worker = startProbeWorker({
      subject: { type, pod, container, probe, proberStartedAt: this.#startedAt },
      state: initialProbeState,
      // After a restart of the agent, jitter spreads the first probes of all pods.
      delayMs: periodMs > this.#clock.monotonic() - this.#startedMonotonic ? this.#random() * periodMs : 0,
      periodMs,
      status: () => this.#podStatus(uid),
      attempt: (status, containerId) => this.#attempts.attempt(pod, container, probe, status, containerId),
      publish: (result) => {
        if (!this.#stores[type].publish(uid, result)) return;
        this.#logger.debug(
          { pod: podKey(pod), containerName: container.name, containerID: result.containerId, result: result.result },
          `${type} probe`,
        );
      },
      onVerdict: ({ result, event }, _attempt, seconds) => {
        if (result !== undefined) this.#metrics.probed(type, pod, container.name, result, seconds);
        if (event) this.#recorder.event(reference, 'Warning', event.reason, event.message);
      },
      onMissed: (ticks) => this.#metrics.missed(type, ticks),
      onOver: (containerId) => {
        const ended = this.#over.get(uid) ?? new Map<string, string>();
        this.#over.set(uid, ended.set(key, containerId));
      },
      onEnd: () => {
        ofPod.delete(key);
        if (ofPod.size === 0 && this.#workers.get(uid) === ofPod) this.#workers.delete(uid);
      },
      limiter: this.#limiter,
      clock: this.#clock,
      logger: this.#logger,
    });
    ofPod.set(key, worker);
    this.#ending.add(worker.ended);
    void worker.ended.then(() => this.#ending.delete(worker.ended));
  }

  #stopWorkers(pod: Pod, containers: readonly Container[], types: readonly ProbeType[]): void {
    const ofPod = this.#workers.get(podUid(pod));
    for (const { name } of containers) for (const type of types) ofPod?.get(workerKey(name, type))?.stop();
  }

  #isOver(uid: string, container: string, type: ProbeType): boolean {
    const ended = this.#over.get(uid)?.get(workerKey(container, type));
    return ended !== undefined && ended === observedContainer(this.#podStatus(uid) ?? {}, container)?.containerID;
  }

  #stopPod(uid: string): void {
    this.#over.delete(uid);
    for (const worker of [...(this.#workers.get(uid)?.values() ?? [])]) worker.stop();
  }
}

/** Regular containers and sidecars; others have no probes. */
function probedContainers({ spec }: Pod): Container[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? []).filter(isSidecar)];
}

function probeOf(container: Container, type: ProbeType): Probe | undefined {
  if (type === 'Startup') return container.startupProbe;
  return type === 'Readiness' ? container.readinessProbe : container.livenessProbe;
}

const workerKey = (container: string, type: ProbeType) => `${container}/${type}`;
