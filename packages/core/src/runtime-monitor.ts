import { type Clock, errorMessage, type Logger, type Runtime, type RuntimeHealth, type Timer } from '@nodeagent/api';

/** Watches whether the runtime serves, and says why not. */
export interface RuntimeMonitor {
  start(): void;
  stop(): void;
  /** Why pods cannot be worked on now; empty when they can. */
  runtimeErrors(): string[];
  /** Why pods without the host's network cannot start; undefined when they can. */
  networkError(): string | undefined;
  /** The runtime's last answer. */
  health(): RuntimeHealth | undefined;
  /** Asks the runtime now, or waits for the answer that is awaited already. */
  refresh(): Promise<void>;
}

export interface RuntimeMonitorOptions {
  runtime: Pick<Runtime, 'checkRuntime' | 'status'>;
  /** Why the pod lifecycle event generator is not healthy. */
  plegError: () => string | undefined;
  clock: Clock;
  logger: Logger;
  periodMs: number;
  thresholdMs: number;
  /** Called when what keeps pods from being worked on has changed; not for each second that it lasts longer. */
  onChange: (errors: string[]) => void;
}

/** The first relist has this long to come back before its absence counts. */
const startUpMs = 5_000;
/** A runtime that never answered is asked this often: it may be about to start. */
const firstAnswerPeriodMs = 1_000;

/**
 * Asks the runtime for its status every `periodMs`. It counts as down when its last good answer is older than `thresholdMs`, when
 * it says itself that it is not ready, or when the PLEG is unhealthy: the kubelet's runtime state. A question that is not answered
 * does not keep the monitor from saying so.
 */
export function createRuntimeMonitor(options: RuntimeMonitorOptions): RuntimeMonitor {
  const { runtime, plegError, clock, logger, periodMs, thresholdMs, onChange } = options;
  let timer: Timer | undefined;
  let running = false;
  let asking: number | undefined;
  let answering: Promise<void> | undefined;
  let health: RuntimeHealth | undefined;
  let versionChecked = false;
  let lastAnswer: number | undefined;
  let lastFailure = '';
  let notReady = '';
  let network: string | undefined = 'container runtime network status is not known yet';
  let reported: string | undefined;
  let startedAt = 0;

  const runtimeErrors = () => {
    const now = clock.monotonic();
    const pleg = now - startedAt < startUpMs ? undefined : plegError();
    return errorsOf({ now, asking, lastAnswer, lastFailure, notReady, pleg }, { periodMs, thresholdMs });
  };

  const report = () => {
    const errors = runtimeErrors();
    const text = errors.map(withoutDurations).join('\n');
    if (text === reported) return;
    reported = text;
    onChange(errors);
  };

  const ask = async () => {
    asking = clock.monotonic();
    try {
      if (!versionChecked) await runtime.checkRuntime();
      versionChecked = true;
      health = await runtime.status();
      lastAnswer = clock.monotonic();
      if (lastFailure) logger.info('container runtime answers again');
      lastFailure = '';
      notReady = health.runtimeReady ? '' : health.runtimeMessage;
      network = health.networkReady ? undefined : `container runtime network not ready: ${health.networkMessage}`;
    } catch (error) {
      if (!running) return;
      lastFailure = logFailure(logger, error, lastFailure);
    } finally {
      asking = undefined;
    }
    if (running) report();
  };

  const refresh = () => {
    answering ??= ask().finally(() => {
      answering = undefined;
    });
    return answering;
  };

  const tick = () => {
    if (answering === undefined) void refresh();
    else report();
    timer = clock.setTimeout(tick, lastAnswer === undefined ? Math.min(firstAnswerPeriodMs, periodMs) : periodMs);
  };

  return {
    start() {
      if (running) return;
      running = true;
      startedAt = clock.monotonic();
      tick();
    },
    stop() {
      running = false;
      timer?.cancel();
    },
    runtimeErrors,
    networkError: () => network,
    health: () => health,
    refresh,
  };
}

/** Logs the failure unless it is the last one again. Returns its text. */
function logFailure(logger: Logger, error: unknown, lastFailure: string): string {
  const failure = errorMessage(error);
  const hint = (error as { hint?: string }).hint;
  const text = hint ? `${failure} (${hint})` : failure;
  if (text !== lastFailure) logger.warn({ err: error }, 'container runtime does not answer');
  return text;
}

/** What the monitor knows; times are the clock's monotonic ones. */
interface Observed {
  now: number;
  /** When the question that waits for its answer was asked. */
  asking: number | undefined;
  lastAnswer: number | undefined;
  lastFailure: string;
  notReady: string;
  pleg: string | undefined;
}

function errorsOf(observed: Observed, { periodMs, thresholdMs }: { periodMs: number; thresholdMs: number }): string[] {
  const { now, lastAnswer, notReady, pleg } = observed;
  const isLate = lastAnswer === undefined || now - lastAnswer > thresholdMs;
  return [
    ...(isLate ? [whyDown(observed, periodMs)] : []),
    ...(notReady ? [`container runtime not ready: ${notReady}`] : []),
    ...(pleg ? [`PLEG is not healthy: ${pleg}`] : []),
  ];
}

function whyDown({ now, asking, lastAnswer, lastFailure }: Observed, periodMs: number): string {
  if (lastFailure) return lastFailure;
  if (asking !== undefined && now - asking >= periodMs) return 'container runtime is down: it does not answer';
  return lastAnswer === undefined ? 'container runtime status check may not have completed yet' : 'container runtime is down';
}

/** Two errors that differ only in how long it lasts are the same. */
function withoutDurations(error: string): string {
  return error.replace(/\d[\d.]*(h|m|s|ms|µs)(?=\W|\d|$)/g, '');
}
