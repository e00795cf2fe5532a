import {
  type Clock,
  invalidOption,
  type Logger,
  NodeAgentError,
  type PodStatus,
  type Probe,
  requirePositive,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import { type CompleteProbe, checkProbe } from './check-target.js';
import { proberErrorCodes } from './errors.js';
import { createLimiter, type Limiter } from './limiter.js';
import type { ProbeAttempt } from './probe-attempt.js';
import type { ProbeNetwork } from './probe-network.js';
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

/** One attempt to probe a target. */
export interface TargetAttempt {
  name: string;
  attempt: ProbeAttempt;
  durationMs: number;
}

/** Options of {@link createProbeManager}. */
export interface ProbeManagerOptions {
  /** Called with the first and each changed result of a target. Must not throw. */
  onResult?: (update: TargetUpdate) => void;
  /** Called with each attempt, before its result is reported. An attempt with an error is repeated at most twice. Must not throw. */
  onAttempt?: (attempt: TargetAttempt) => void;
  /**
   * `readiness`: reports changes of the result. `liveness`: reports each failure, as for a container that is restarted after it: the target
   * is then probed after `initialDelaySeconds` again, and reported when it has failed `failureThreshold` times again. Default `readiness`.
   */
  mode?: 'readiness' | 'liveness';
  /** Default: the system clock. */
  clock?: Clock;
  logger?: Logger;
  /** Maximum number of concurrent probes; others wait, and their timeout starts when they run. Default 500. */
  maxConcurrentProbes?: number;
  /** Default `kube-probe/1.36`. */
  userAgent?: string;
  /** Reaches the targets of HTTP, TCP and gRPC probes. Default: none, `add` refuses such probes. */
  network?: ProbeNetwork;
  /** Makes the attempts. Default {@link runProbe} over `network`. */
  runProbe?: RunProbe;
}

/** Probes targets periodically, with the periods and thresholds of Kubernetes' readiness or liveness probes. */
export interface TargetProbeManager {
  /**
   * Starts to probe the target: the first probe runs immediately, or after `initialDelaySeconds`. Defaults as in Kubernetes: period 10 s,
   * timeout 1 s, success threshold 1, failure threshold 3. Throws `TargetExists`, `ProberStopped` after `stop()`, and `InvalidOption` for a
   * probe that cannot be run: an unknown field, a port that is out of range or that no port of the target has as its name, `exec`
   * without the target's function, or another handler without a `network`.
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
  const { mode = 'readiness', maxConcurrentProbes } = options;
  if (mode !== 'readiness' && mode !== 'liveness') throw invalidOption('mode', 'readiness or liveness', mode);
  requirePositive('maxConcurrentProbes', maxConcurrentProbes, { integer: true });
  return new Manager(options);
}

class Manager implements TargetProbeManager {
  readonly #options: ProbeManagerOptions;
  readonly #mode: 'readiness' | 'liveness';
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #run: RunProbe;
  readonly #limiter: Limiter;
  readonly #targets = new Map<string, Probed>();
  readonly #ending = new Set<Promise<void>>();
  #missedTicks = 0;
  #isStopped = false;

  constructor(options: ProbeManagerOptions) {
    this.#options = options;
    this.#mode = options.mode ?? 'readiness';
    this.#clock = options.clock ?? systemClock;
    this.#logger = options.logger ?? silentLogger;
    this.#run = options.runProbe ?? runProbe;
    this.#limiter = createLimiter(options.maxConcurrentProbes ?? 500);
  }

  add(name: string, given: Probe, target: ProbeTarget = {}): void {
    const probe = this.#check(name, given, target);
    const pod = targetAsPod(name, probe, this.#mode, this.#clock);
    const probed: Omit<Probed, 'worker'> = { result: undefined };
    let last: ProbeAttempt | undefined;
    const worker = startProbeWorker({
      subject: pod.subject,
      // The target counts as observed, because unlike a container it has no result before its first probe.
      state: { ...initialProbeState, containerId: name },
      delayMs: 0,
      periodMs: (probe.periodSeconds ?? 10) * 1000,
      status: pod.status,
      attempt: (_status, _id, signal) => this.#attempt(name, probe, target, signal),
      onVerdict(_verdict, attempt) {
        last = attempt;
      },
      publish: ({ result }) => {
        // Initial results have no attempt.
        const attempt = last;
        last = undefined;
        if ((result !== 'Success' && result !== 'Failure') || attempt === undefined) return;
        const isReported = this.#mode === 'liveness' && result === 'Failure';
        if (result === probed.result && !isReported) return;
        probed.result = result;
        if (isReported) pod.restart();
        this.#options.onResult?.({ name, result, attempt });
      },
      onMissed: (ticks) => {
        this.#missedTicks += ticks;
      },
      onEnd: () => this.#targets.delete(name),
      limiter: this.#limiter,
      clock: this.#clock,
      logger: this.#logger,
    });
    this.#targets.set(name, Object.assign(probed, { worker }));
    this.#ending.add(worker.ended);
    void worker.ended.then(() => this.#ending.delete(worker.ended));
  }

  remove(name: string): void {
    this.#targets.get(name)?.worker.stop();
  }

  result(name: string): 'Success' | 'Failure' | undefined {
    return this.#targets.get(name)?.result;
  }

  probeNow(name: string): void {
    this.#targets.get(name)?.worker.trigger();
  }

  get missedTicks(): number {
    return this.#missedTicks;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const { worker } of [...this.#targets.values()]) worker.stop();
    await Promise.all(this.#ending);
  }

  #check(name: string, given: Probe, target: ProbeTarget): CompleteProbe {
    if (this.#isStopped) throw new NodeAgentError(proberErrorCodes.stopped, `the probe manager was stopped, ${name} cannot be added`);
    if (this.#targets.has(name)) {
      throw new NodeAgentError(proberErrorCodes.targetExists, `${name} is already a target`, { details: { name } });
    }
    const probe = checkProbe(given, target);
    if (this.#run === runProbe) this.#checkPorts(probe, target);
    if (this.#mode === 'liveness' && probe.successThreshold !== 1) {
      throw invalidOption('probe.successThreshold', '1 for liveness', probe.successThreshold);
    }
    return probe;
  }

  /** Throws if there is no way to reach the target. */
  #checkPorts(probe: Probe, target: ProbeTarget): void {
    const { network } = this.#options;
    if (probe.exec && target.exec === undefined) {
      throw invalidOption('target.exec', 'a function that runs the command of the probe', target.exec);
    }
    if (!probe.exec && network === undefined) {
      throw invalidOption('network', 'the way to the target, such as machineProbeNetwork of @nodeagent/prober/node', network);
    }
  }

  async #attempt(name: string, probe: Probe, target: ProbeTarget, signal: AbortSignal): Promise<ProbeAttempt> {
    const { onAttempt, userAgent, network } = this.#options;
    const startedAt = this.#clock.monotonic();
    const attempt = await this.#run(probe, target, {
      clock: this.#clock,
      signal,
      ...(userAgent !== undefined && { userAgent }),
      ...(network && { network }),
    });
    if (!signal.aborted) onAttempt?.({ name, attempt, durationMs: this.#clock.monotonic() - startedAt });
    return attempt;
  }
}

/** The target as the only container of a pod that starts now. */
function targetAsPod(name: string, probe: Probe, mode: 'readiness' | 'liveness', clock: Clock) {
  const container = { name };
  const type = mode === 'liveness' ? 'Liveness' : 'Readiness';
  const subject: ProbeSubject = { type, pod: { spec: { containers: [container] } }, container, probe, proberStartedAt: clock.now() };
  const start = (containerID: string): PodStatus => ({
    phase: 'Running',
    containerStatuses: [
      {
        ...{ name, containerID, ready: false, restartCount: 0, image: '', imageID: '', started: true },
        state: { running: { startedAt: formatTime(clock.now()) } },
      },
    ],
  });
  let status = start(name);
  let restarts = 0;
  return {
    subject,
    status: () => status,
    /** The target counts as restarted. */
    restart() {
      status = start(`${name}#${++restarts}`);
    },
  };
}
