import {
  type Clock,
  checkOptionNames,
  errorMessage,
  type Logger,
  type OptionNames,
  type Runtime,
  type RuntimeHealth,
  requirePositive,
  silentLogger,
  systemClock,
  type Timer,
} from '@nodeagent/api';
import { runtimeErrorsChanged, runtimeStateErrors } from './runtime-state.js';

/** Watches whether the container runtime is healthy, and reports why it is not. */
export interface RuntimeMonitor {
  /** Idempotent. */
  start(): void;
  /** Idempotent; cancels the timer. */
  stop(): void;
  /** Why pods cannot be synced now; empty if they can. */
  runtimeErrors(): string[];
  /** Why pods without the host's network cannot start; undefined if they can. */
  networkError(): string | undefined;
  /** The runtime's last response. */
  health(): RuntimeHealth | undefined;
  /** Requests the runtime's status now, or waits for the request in progress. Never rejects. */
  refresh(): Promise<void>;
}

export interface RuntimeMonitorOptions {
  runtime: Pick<Runtime, 'checkRuntime' | 'status'>;
  /** Why the pod lifecycle event generator is not healthy. */
  plegError: () => string | undefined;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: silent. */
  logger?: Logger;
  /** How often the runtime's status is requested. Milliseconds, default 5 s. */
  runtimeStatusPeriodMs?: number;
  /** Maximum age of the last response; the runtime counts as down after it. Milliseconds, default 30 s. */
  runtimeStatusThresholdMs?: number;
  /** Called when the errors change. A change of a duration in a message alone does not count. */
  onChange: (errors: string[]) => void;
}

const optionNames: OptionNames<RuntimeMonitorOptions> = {
  runtime: true,
  plegError: true,
  clock: true,
  logger: true,
  runtimeStatusPeriodMs: true,
  runtimeStatusThresholdMs: true,
  onChange: true,
};

/** Grace period for the first relist, in milliseconds: until then the PLEG's error is ignored. */
const startUpMs = 5_000;
/** Period of status requests until the first response, in milliseconds: the runtime may be starting. */
const firstAnswerPeriodMs = 1_000;

/**
 * Requests the runtime's status every `runtimeStatusPeriodMs`, one request at a time, and decides by {@link runtimeStateErrors}. A request that hangs
 * does not keep the monitor from reporting. Throws `InvalidOption` naming the period that is invalid.
 */
export function createRuntimeMonitor(options: RuntimeMonitorOptions): RuntimeMonitor {
  checkOptionNames('createRuntimeMonitor', options, optionNames);
  const { runtime, plegError, runtimeStatusPeriodMs = 5_000, runtimeStatusThresholdMs = 30_000, onChange } = options;
  const { clock = systemClock, logger = silentLogger } = options;
  requirePositive('runtimeStatusPeriodMs', runtimeStatusPeriodMs);
  requirePositive('runtimeStatusThresholdMs', runtimeStatusThresholdMs);
  const thresholds = { runtimeStatusPeriodMs, runtimeStatusThresholdMs };
  let timer: Timer | undefined;
  let running = false;
  let requestedAt: number | undefined;
  let answering: Promise<void> | undefined;
  let health: RuntimeHealth | undefined;
  let isVersionChecked = false;
  let lastAnswerAt: number | undefined;
  let lastFailure = '';
  let notReadyMessage = '';
  let network: string | undefined = 'container runtime network status is unknown';
  let reported: string[] | undefined;
  let startedAt = 0;

  const errorsNow = () => {
    const now = clock.monotonic();
    const state = { now, requestedAt, lastAnswerAt, lastFailure, notReadyMessage };
    return runtimeStateErrors({ ...state, plegError: now - startedAt < startUpMs ? undefined : plegError() }, thresholds);
  };

  const report = () => {
    const errors = errorsNow();
    if (!runtimeErrorsChanged(reported, errors)) return;
    reported = errors;
    onChange(errors);
  };

  const check = async () => {
    requestedAt = clock.monotonic();
    try {
      if (!isVersionChecked) await runtime.checkRuntime();
      isVersionChecked = true;
      health = await runtime.status();
      lastAnswerAt = clock.monotonic();
      if (lastFailure) logger.info('container runtime responds again');
      lastFailure = '';
      notReadyMessage = health.runtimeReady ? '' : health.runtimeMessage;
      network = health.networkReady ? undefined : `container runtime network not ready: ${health.networkMessage}`;
    } catch (error) {
      if (!running) return;
      lastFailure = logFailure(logger, error, lastFailure);
    } finally {
      requestedAt = undefined;
    }
    if (running) report();
  };

  const refresh = () => {
    answering ??= check().finally(() => {
      answering = undefined;
    });
    return answering;
  };

  const tick = () => {
    if (answering === undefined) void refresh();
    else report();
    timer = clock.setTimeout(
      tick,
      lastAnswerAt === undefined ? Math.min(firstAnswerPeriodMs, runtimeStatusPeriodMs) : runtimeStatusPeriodMs,
    );
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
    runtimeErrors: errorsNow,
    networkError: () => network,
    health: () => health,
    refresh,
  };
}

/** Logs the failure unless it equals the previous one. Returns its text. */
function logFailure(logger: Logger, error: unknown, lastFailure: string): string {
  const failure = errorMessage(error);
  const hint = (error as { hint?: string }).hint;
  const text = hint ? `${failure} (${hint})` : failure;
  if (text !== lastFailure) logger.warn({ err: error }, 'container runtime status check failed');
  return text;
}
