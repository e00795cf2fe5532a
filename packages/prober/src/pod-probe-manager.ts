import {
  type Clock,
  type Container,
  checkOptionNames,
  containerReference,
  type EventRecorder,
  formatPod,
  isSidecar,
  type Logger,
  type Metrics,
  noEvents,
  noMetrics,
  type OptionNames,
  type Pod,
  type PodStatus,
  type Probe,
  type ProbeManager,
  podKey,
  podUid,
  type Random,
  requirePositive,
  silentLogger,
  systemClock,
  systemRandom,
} from '@nodeagent/api';
import type { CommandResult } from './handlers/exec.js';
import { createLimiter } from './limiter.js';
import { createProberMetrics } from './metrics.js';
import { errored } from './probe-attempt.js';
import { initialProbeState, observedContainer, type ProbeSubject, type ProbeType } from './probe-state.js';
import { type ProbeWorker, startProbeWorker } from './probe-worker.js';
import { createResultStore } from './result-store.js';
import { type ProbeTarget, type RunProbe, type RunProbeOptions, runProbe } from './run-probe.js';
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
  /** Makes the attempts; replace it in a simulation without a network. Default {@link runProbe}. */
  runProbe?: RunProbe;
}

const optionNames: OptionNames<PodProbeManagerOptions> = {
  podStatus: true,
  runInContainer: true,
  clock: true,
  random: true,
  recorder: true,
  logger: true,
  metrics: true,
  maxConcurrentProbes: true,
  userAgent: true,
  runProbe: true,
};

/** In the order of the lookup. */
const probeTypes = ['Startup', 'Readiness', 'Liveness'] as const;

/**
 * Creates a manager that runs the probes of pods as the kubelet does. Starts no timer before the first pod is added. Throws
 * `InvalidOption`.
 */
export function createPodProbeManager(options: PodProbeManagerOptions): ProbeManager {
  checkOptionNames('createPodProbeManager', options, optionNames);
  const { podStatus, runInContainer, clock = systemClock, random = systemRandom, recorder = noEvents, logger = silentLogger } = options;
  const { maxConcurrentProbes = 500, userAgent, runProbe: run = runProbe } = options;
  requirePositive('maxConcurrentProbes', maxConcurrentProbes, { integer: true });
  const startedAt = clock.now();
  const startedMonotonic = clock.monotonic();
  const metrics = createProberMetrics(options.metrics ?? noMetrics);
  const limiter = createLimiter(maxConcurrentProbes);
  const updates = createUpdateQueue();
  const offer = updates.offer.bind(updates);
  const stores = {
    Liveness: createResultStore('Liveness', offer),
    Readiness: createResultStore('Readiness', offer),
    Startup: createResultStore('Startup', offer),
  };
  /** Workers by pod, then by container and probe type. */
  const workers = new Map<string, Map<string, ProbeWorker>>();
  /**
   * Containers that will not run again, with the keys of `workers`. Without it each sync of the pod would start to probe them and trigger
   * another sync.
   */
  const over = new Map<string, Map<string, string>>();
  /** Stopped workers with an attempt in flight. */
  const ending = new Set<Promise<void>>();

  /** Attempts in flight. As in the kubelet, stopping a worker does not cancel them; only `stop` of the manager does. */
  const attempts = new Set<AbortController>();

  const attemptOptions = (signal: AbortSignal): RunProbeOptions => ({ clock, signal, ...(userAgent !== undefined && { userAgent }) });

  function start(pod: Pod, container: Container, type: ProbeType, probe: Probe): void {
    const uid = podUid(pod);
    const key = workerKey(container.name, type);
    const subject: ProbeSubject = { type, pod, container, probe, proberStartedAt: startedAt };
    const periodMs = (probe.periodSeconds || 10) * 1000;
    const reference = containerReference(pod, container.name);
    const ofPod = workers.get(uid) ?? new Map<string, ProbeWorker>();
    workers.set(uid, ofPod);
    const worker = startProbeWorker({
      subject,
      state: initialProbeState,
      // After a restart of the agent, jitter spreads the first probes of all pods.
      delayMs: periodMs > clock.monotonic() - startedMonotonic ? random() * periodMs : 0,
      periodMs,
      status: () => podStatus(uid),
      async attempt(status, containerId) {
        if (!probe.exec && !probe.httpGet && !probe.tcpSocket && !probe.grpc) {
          return errored(`missing probe handler for ${formatPod(pod)}:${container.name}`);
        }
        const id = containerId.replace(/^.*:\/\//, '');
        const target: ProbeTarget = {
          host: status.podIP ?? '',
          ports: container.ports,
          env: container.env,
          ...(runInContainer && { exec: (command, limits) => runInContainer(id, command, limits) }),
        };
        const cancel = new AbortController();
        attempts.add(cancel);
        return run(probe, target, attemptOptions(cancel.signal)).finally(() => attempts.delete(cancel));
      },
      publish(result) {
        if (!stores[type].publish(uid, result)) return;
        logger.debug(
          { pod: podKey(pod), containerName: container.name, containerID: result.containerId, result: result.result },
          `${type} probe`,
        );
      },
      onVerdict({ result, event }, _attempt, seconds) {
        if (result !== undefined) metrics.probed(type, pod, container.name, result, seconds);
        if (event) recorder.event(reference, 'Warning', event.reason, event.message);
      },
      onMissed: (ticks) => metrics.missed(type, ticks),
      onOver(containerId) {
        const ended = over.get(uid) ?? new Map<string, string>();
        over.set(uid, ended.set(key, containerId));
      },
      onEnd() {
        ofPod.delete(key);
        if (ofPod.size === 0 && workers.get(uid) === ofPod) workers.delete(uid);
      },
      limiter,
      clock,
      logger,
    });
    ofPod.set(key, worker);
    ending.add(worker.ended);
    void worker.ended.then(() => ending.delete(worker.ended));
  }

  const stopWorkers = (pod: Pod, containers: readonly Container[], types: readonly ProbeType[]) => {
    const ofPod = workers.get(podUid(pod));
    for (const { name } of containers) for (const type of types) ofPod?.get(workerKey(name, type))?.stop();
  };
  const isOver = (uid: string, container: string, type: ProbeType) => {
    const ended = over.get(uid)?.get(workerKey(container, type));
    return ended !== undefined && ended === observedContainer(podStatus(uid) ?? {}, container)?.containerID;
  };
  const stopPod = (uid: string) => {
    over.delete(uid);
    for (const worker of [...(workers.get(uid)?.values() ?? [])]) worker.stop();
  };

  return {
    updates,
    results: { liveness: stores.Liveness.get, readiness: stores.Readiness.get, startup: stores.Startup.get },
    view: (pod) => ({
      startedAt,
      readiness: stores.Readiness.get,
      startup: stores.Startup.get,
      hasWorker: (name, kind) => workers.get(podUid(pod))?.has(workerKey(name, kind === 'startup' ? 'Startup' : 'Readiness')) ?? false,
    }),
    addPod(pod) {
      for (const container of probedContainers(pod)) {
        for (const type of probeTypes) {
          const probe = probeOf(container, type);
          if (!probe) continue;
          // An existing worker means that the pod was added before.
          if (workers.get(podUid(pod))?.has(workerKey(container.name, type))) return;
          if (!isOver(podUid(pod), container.name, type)) start(pod, container, type, probe);
        }
      }
    },
    probeNow(pod, names) {
      const ofPod = workers.get(podUid(pod));
      for (const name of names) ofPod?.get(workerKey(name, 'Readiness'))?.trigger();
    },
    stopLivenessAndStartup: (pod) => stopWorkers(pod, pod.spec?.containers ?? [], ['Liveness', 'Startup']),
    removePod(pod) {
      stopWorkers(pod, probedContainers(pod), probeTypes);
      over.delete(podUid(pod));
    },
    cleanupPods(desired) {
      for (const uid of [...workers.keys(), ...over.keys()]) if (!desired.has(uid)) stopPod(uid);
    },
    async stop() {
      for (const uid of [...workers.keys()]) stopPod(uid);
      for (const attempt of attempts) attempt.abort(new Error('the probe manager was stopped'));
      await Promise.all(ending);
    },
  };
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
