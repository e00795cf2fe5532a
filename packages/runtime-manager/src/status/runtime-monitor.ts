import {
  type Clock,
  errorMessage,
  type Logger,
  type Runtime,
  type RuntimeHealth,
  silentLogger,
  systemClock,
  type Timer,
} from '@nodeagent/api';
import { completeSettings, type GivenSettings } from '@nodeagent/api/helpers';
import { runtimeMonitorSettings } from '../settings.js';
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

export interface RuntimeMonitorOptions extends GivenSettings<typeof runtimeMonitorSettings> {
  runtime: Pick<Runtime, 'checkRuntime' | 'status'>;
  /** Why the pod lifecycle event generator is not healthy. */
  plegError: () => string | undefined;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: silent. */
  logger?: Logger;
  /** Called when the errors change. A change of a duration in a message alone does not count. */
  onChange: (errors: string[]) => void;
}

/** Grace period for the first relist, in milliseconds: until then the PLEG's error is ignored. */
const startUpMs = 5_000;
/** Period of status requests until the first response, in milliseconds: the runtime may be starting. */
const firstAnswerPeriodMs = 1_000;

/**
 * Requests the runtime's status every `runtimeStatusPeriodMs`, one request at a time, and decides by {@link runtimeStateErrors}. A request that hangs
 * does not keep the monitor from reporting. Throws `InvalidOption` naming the period that is invalid.
 */
export function createRuntimeMonitor(options: RuntimeMonitorOptions): RuntimeMonitor {
  const { runtime, plegError, onChange } = options;
  const { clock = systemClock, logger = silentLogger } = options;
  const thresholds = completeSettings(runtimeMonitorSettings, options, '');
  return new PollingMonitor({ runtime, plegError, clock, logger, onChange, ...thresholds });
}

/** Callers may detach `runtimeErrors` and `networkError`. */
class PollingMonitor implements RuntimeMonitor {
  readonly #options: Required<RuntimeMonitorOptions>;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #isRunning = false;
  #startedAt = 0;
  #timer: Timer | undefined;
  #requestedAt: number | undefined;
  #answering: Promise<void> | undefined;
  #isVersionChecked = false;
  #health: RuntimeHealth | undefined;
  #lastAnswerAt: number | undefined;
  #lastFailure = '';
  #reported: string[] | undefined;

  constructor(options: Required<RuntimeMonitorOptions>) {
    this.#options = options;
    this.#clock = options.clock;
    this.#logger = options.logger;
  }

  start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#startedAt = this.#clock.monotonic();
    this.#poll();
  }

  stop(): void {
    this.#isRunning = false;
    this.#timer?.cancel();
  }

  readonly runtimeErrors = (): string[] => {
    const now = this.#clock.monotonic();
    const state = {
      now,
      requestedAt: this.#requestedAt,
      lastAnswerAt: this.#lastAnswerAt,
      lastFailure: this.#lastFailure,
      notReadyMessage: this.#health === undefined || this.#health.runtimeReady ? '' : this.#health.runtimeMessage,
      plegError: now - this.#startedAt < startUpMs ? undefined : this.#options.plegError(),
    };
    return runtimeStateErrors(state, this.#options);
  };

  readonly networkError = (): string | undefined => {
    if (this.#health === undefined) return 'container runtime network status is unknown';
    return this.#health.networkReady ? undefined : `container runtime network not ready: ${this.#health.networkMessage}`;
  };

  health(): RuntimeHealth | undefined {
    return this.#health;
  }

  refresh(): Promise<void> {
    this.#answering ??= this.#request().finally(() => {
      this.#answering = undefined;
    });
    return this.#answering;
  }

  #poll(): void {
    if (this.#answering === undefined) void this.refresh();
    else this.#report();
    const { runtimeStatusPeriodMs: periodMs } = this.#options;
    const delayMs = this.#lastAnswerAt === undefined ? Math.min(firstAnswerPeriodMs, periodMs) : periodMs;
    this.#timer = this.#clock.setTimeout(() => this.#poll(), delayMs);
  }

  async #request(): Promise<void> {
    const { runtime } = this.#options;
    this.#requestedAt = this.#clock.monotonic();
    try {
      if (!this.#isVersionChecked) await runtime.checkRuntime();
      this.#isVersionChecked = true;
      this.#health = await runtime.status();
      this.#lastAnswerAt = this.#clock.monotonic();
      if (this.#lastFailure) this.#logger.info('container runtime responds again');
      this.#lastFailure = '';
    } catch (error) {
      if (!this.#isRunning) return;
      this.#lastFailure = logFailure(this.#logger, error, this.#lastFailure);
    } finally {
      this.#requestedAt = undefined;
    }
    if (this.#isRunning) this.#report();
  }

  #report(): void {
    const errors = this.runtimeErrors();
    if (!runtimeErrorsChanged(this.#reported, errors)) return;
    this.#reported = errors;
    this.#options.onChange(errors);
  }
}

/** Logs the failure unless it equals the previous one. Returns its text. */
function logFailure(logger: Logger, error: unknown, lastFailure: string): string {
  const failure = errorMessage(error);
  const hint = (error as { hint?: string }).hint;
  const text = hint ? `${failure} (${hint})` : failure;
  if (text !== lastFailure) logger.warn({ err: error }, 'container runtime status check failed');
  return text;
}
