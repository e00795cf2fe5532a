import type { Clock, Logger, PodStatus } from '@nodeagent/api';
import type { Limiter } from './limiter.js';
import type { ProbeAttempt } from './probe-attempt.js';
import { nextProbeState, type ProbeEvent, type ProbeState, type ProbeSubject, type PublishedResult } from './probe-state.js';
import { createTicker } from './ticker.js';
import { type ProbeVerdict, probeVerdict, repeatOnError } from './verdict.js';

/** Options of {@link startProbeWorker}. */
export interface ProbeWorkerOptions {
  subject: ProbeSubject;
  /** The state before the first tick. */
  state: ProbeState;
  /** Milliseconds before the first tick. */
  delayMs: number;
  /** Milliseconds between ticks. */
  periodMs: number;
  /** The pod's current status; undefined if it has none. */
  status(): PodStatus | undefined;
  /** Makes one attempt. May reject once the signal, which stopping the worker aborts, has aborted; its result then does not count. */
  attempt(status: PodStatus, containerId: string, signal: AbortSignal): Promise<ProbeAttempt>;
  /** Stores a result. */
  publish(result: PublishedResult): void;
  /** Called after each probe, before its results are published. */
  onVerdict(verdict: ProbeVerdict, attempt: ProbeAttempt, seconds: number): void;
  /** Called with the number of ticks that passed during a probe. */
  onMissed(ticks: number): void;
  /** Called when the container will never run again. Default: none. */
  onOver?(containerId: string): void;
  /** Called when the worker has ended or was stopped, after its last result was removed. */
  onEnd(): void;
  limiter: Limiter;
  clock: Clock;
  logger: Logger;
}

/** Runs one probe of one container: a loop around {@link nextProbeState}. */
export interface ProbeWorker {
  /** Probes now instead of at the next tick. */
  trigger(): void;
  /** The state after the last turn. */
  readonly state: ProbeState;
  /** Removes its last result and makes no further attempts; the result of one in flight is ignored. Idempotent. */
  stop(): void;
  /** Resolves when no attempt is in flight. */
  readonly ended: Promise<void>;
}

/** Starts probing immediately. */
export function startProbeWorker(options: ProbeWorkerOptions): ProbeWorker {
  const { subject, delayMs, periodMs, status, attempt, publish, onVerdict, onMissed, onOver, onEnd, limiter, clock, logger } = options;
  let { state } = options;
  const end = new AbortController();
  let ticker: ReturnType<typeof createTicker> | undefined;
  let triggered = false;

  const take = (event: ProbeEvent) => {
    const step = nextProbeState(subject, state, event);
    state = step.state;
    for (const result of step.publish) publish(result);
    return step.next;
  };

  /** One turn of the loop; false when the worker has ended. */
  const turn = async (): Promise<boolean> => {
    const began = clock.monotonic();
    const observed = status();
    const next = take({ kind: 'tick', status: observed, now: clock.now() });
    if (next !== 'probe' || observed === undefined) return next !== 'stop';
    const outcome = await repeatOnError(() => limiter.run(() => attempt(observed, state.containerId, end.signal), end.signal));
    if (end.signal.aborted) return false;
    const verdict = probeVerdict(subject.type, outcome);
    onVerdict(verdict, outcome, (clock.monotonic() - began) / 1000);
    take({ kind: 'result', result: verdict.result });
    return true;
  };

  const guardedTurn = () =>
    turn().catch((error) => {
      if (!end.signal.aborted) logger.error({ err: error, containerName: subject.container.name }, "a probe's turn failed");
      return true;
    });

  const stop = () => {
    if (end.signal.aborted) return;
    end.abort(new Error('the probe was stopped'));
    ticker?.stop();
    if (state.containerId !== '') publish({ containerId: state.containerId, result: undefined });
    onEnd();
  };

  const run = async () => {
    if (delayMs > 0) await clock.sleep(delayMs, end.signal).catch(() => {});
    ticker = createTicker(clock, periodMs);
    if (triggered) ticker.trigger();
    while (!end.signal.aborted && (await guardedTurn())) {
      const missed = await ticker.wait();
      if (missed > 0) onMissed(missed);
    }
    if (!end.signal.aborted) onOver?.(state.containerId);
    stop();
  };

  return {
    trigger() {
      triggered = true;
      ticker?.trigger();
    },
    get state() {
      return state;
    },
    stop,
    ended: run(),
  };
}
