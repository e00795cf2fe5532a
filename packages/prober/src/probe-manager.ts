import {
  type Clock,
  checkOptionNames,
  formatTime,
  invalidOption,
  type Logger,
  NodeAgentError,
  type OptionNames,
  type PodStatus,
  type Probe,
  requirePositive,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { proberErrorCodes } from './errors.js';
import { createLimiter } from './limiter.js';
import type { ProbeAttempt } from './probe-attempt.js';
import { initialProbeState, type ProbeSubject } from './probe-state.js';
import { type ProbeWorker, startProbeWorker } from './probe-worker.js';
import { type ProbeTarget, type RunProbe, runProbe } from './run-probe.js';

/** The first or a changed result of a target. */
export interface TargetUpdate {
  name: string;
  result: 'Success' | 'Failure';
  /** The attempt that determined the result. */
  attempt: ProbeAttempt;
}

/** Options of {@link createProbeManager}. */
export interface ProbeManagerOptions {
  /** Called with the first and each changed result of a target. Must not throw. */
  onResult?: (update: TargetUpdate) => void;
  /** Default: the system clock. */
  clock?: Clock;
  logger?: Logger;
  /** Maximum number of concurrent probes; others wait, and their timeout starts when they run. Default 500. */
  maxConcurrentProbes?: number;
  /** Default `kube-probe/1.36`. */
  userAgent?: string;
  /** Makes the attempts. Default {@link runProbe}. */
  runProbe?: RunProbe;
}

const optionNames: OptionNames<ProbeManagerOptions> = {
  onResult: true,
  clock: true,
  logger: true,
  maxConcurrentProbes: true,
  userAgent: true,
  runProbe: true,
};

/** Probes targets periodically, with the periods and thresholds of Kubernetes' readiness probes. */
export interface TargetProbeManager {
  /**
   * Starts to probe the target: the first probe runs immediately, or after `initialDelaySeconds`. Defaults as in Kubernetes: period 10 s,
   * timeout 1 s, success threshold 1, failure threshold 3. Throws `TargetExists` and `InvalidOption`.
   */
  add(name: string, probe: Probe, target?: ProbeTarget): void;
  /** Stops the target's probe. Idempotent. */
  remove(name: string): void;
  /** The target's result; undefined until a threshold is reached, and for an unknown target. */
  result(name: string): 'Success' | 'Failure' | undefined;
  /** Probes the target now and restarts its period. */
  probeNow(name: string): void;
  /** Number of probes skipped because the previous one was still running. */
  readonly missedTicks: number;
  /** Stops all probes and aborts those in flight. Idempotent. */
  stop(): Promise<void>;
}

interface Probed {
  worker: ProbeWorker;
  result: 'Success' | 'Failure' | undefined;
}

/** Creates a manager that probes any targets. Starts no timer before the first target is added. Throws `InvalidOption`. */
export function createProbeManager(options: ProbeManagerOptions = {}): TargetProbeManager {
  checkOptionNames('createProbeManager', options, optionNames);
  const { onResult, clock = systemClock, logger = silentLogger, maxConcurrentProbes = 500, userAgent, runProbe: run = runProbe } = options;
  requirePositive('maxConcurrentProbes', maxConcurrentProbes, { integer: true });
  const limiter = createLimiter(maxConcurrentProbes);
  const targets = new Map<string, Probed>();
  const ending = new Set<Promise<void>>();
  let missedTicks = 0;

  return {
    add(name, given, target = {}) {
      if (targets.has(name)) throw new NodeAgentError(proberErrorCodes.targetExists, `${name} is already a target`, { details: { name } });
      const probe = withDefaults(given);
      const { subject, status } = targetAsPod(name, probe, clock.now());
      const probed: Omit<Probed, 'worker'> = { result: undefined };
      let last: ProbeAttempt | undefined;
      const worker = startProbeWorker({
        subject,
        // The target counts as observed, because unlike a container it has no result before its first probe.
        state: { ...initialProbeState, containerId: name },
        delayMs: 0,
        periodMs: (probe.periodSeconds ?? 10) * 1000,
        status: () => status,
        attempt: (_status, _id, signal) => run(probe, target, { clock, signal, ...(userAgent !== undefined && { userAgent }) }),
        onVerdict(_verdict, attempt) {
          last = attempt;
        },
        publish({ result }) {
          if ((result !== 'Success' && result !== 'Failure') || result === probed.result || last === undefined) return;
          probed.result = result;
          onResult?.({ name, result, attempt: last });
        },
        onMissed(ticks) {
          missedTicks += ticks;
        },
        onEnd: () => targets.delete(name),
        limiter,
        clock,
        logger,
      });
      targets.set(name, Object.assign(probed, { worker }));
      ending.add(worker.ended);
      void worker.ended.then(() => ending.delete(worker.ended));
    },
    remove: (name) => targets.get(name)?.worker.stop(),
    result: (name) => targets.get(name)?.result,
    probeNow: (name) => targets.get(name)?.worker.trigger(),
    get missedTicks() {
      return missedTicks;
    },
    async stop() {
      for (const { worker } of [...targets.values()]) worker.stop();
      await Promise.all(ending);
    },
  };
}

/** The target as the only container of a pod that starts now. */
function targetAsPod(name: string, probe: Probe, now: number): { subject: ProbeSubject; status: PodStatus } {
  const container = { name };
  const running = { startedAt: formatTime(now) };
  return {
    subject: { type: 'Readiness', pod: { spec: { containers: [container] } }, container, probe, proberStartedAt: now },
    status: {
      phase: 'Running',
      containerStatuses: [
        { name, containerID: name, ready: false, restartCount: 0, image: '', imageID: '', started: true, state: { running } },
      ],
    },
  };
}

const defaults = { initialDelaySeconds: 0, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 };

function withDefaults(given: Probe): Probe {
  const handlers = [given.exec, given.httpGet, given.tcpSocket, given.grpc].filter(Boolean);
  if (handlers.length !== 1) throw invalidOption('probe', 'of exactly one handler: exec, httpGet, tcpSocket or grpc', handlers.length);
  const probe = { ...defaults, ...given };
  for (const field of ['timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const) {
    requirePositive(`probe.${field}`, probe[field]);
  }
  if (!(probe.initialDelaySeconds >= 0)) throw invalidOption('probe.initialDelaySeconds', 'a number from 0 on', probe.initialDelaySeconds);
  return probe;
}
