import {
  abortable,
  type Clock,
  type EventRecorder,
  type Gauge,
  invalidOption,
  type Logger,
  type Metrics,
  noEvents,
  noMetrics,
  type ObjectReference,
  onAbort,
  type Pod,
  type PodAdmitHandler,
  type PodAdmitResult,
  silentLogger,
  systemClock,
  withController,
} from '@nodeagent/api';
import { defaultNodeName } from '@nodeagent/api/helpers';
import {
  checkShutdownSettings,
  type ShutdownGroup,
  type ShutdownPeriod,
  type ShutdownSettings,
  shutdownGroups,
  shutdownPeriods,
  shutdownSeconds,
} from './shutdown-groups.js';
import type { ShutdownInhibitor } from './shutdown-inhibitor.js';
import type { ShutdownState, ShutdownStateStore } from './shutdown-state.js';
import { type ShutdownKill, terminateGroup } from './terminate-group.js';

/** Options of {@link createShutdownManager}. */
export interface ShutdownManagerOptions {
  settings: ShutdownSettings;
  /** The active pods on the node. */
  activePods(): readonly Pod[];
  /** Resolves when the pod's containers have terminated. A rejection is logged. */
  killPod(pod: Pod, kill: ShutdownKill): Promise<void>;
  /** Resolves when the volumes of the pods are unmounted. A rejection is logged. Default: at once. */
  waitForUnmount?(pods: readonly Pod[], signal: AbortSignal): Promise<void>;
  /** Reports the node's status now. The manager does not wait for it and logs a rejection. Default: none. */
  syncNodeStatus?(): Promise<void>;
  /** Reports shutdowns of the machine. Default: none, the caller calls `shutdown()`. */
  inhibitor?: ShutdownInhibitor;
  /** Stores the times of the last shutdown. Default: none. */
  state?: ShutdownStateStore;
  /** The Node of events. Default: the machine's host name. */
  nodeName?: string;
  clock?: Clock;
  recorder?: EventRecorder;
  logger?: Logger;
  metrics?: Metrics;
}

/** Terminates a node's pods by rising priority before the machine stops. */
export interface ShutdownManager extends PodAdmitHandler {
  /**
   * Sets the metrics from the stored state and, if a period is configured, starts to watch the inhibitor. Rejects as the inhibitor does if
   * it cannot delay a shutdown: `shutdown()` works all the same.
   */
  start(signal?: AbortSignal): Promise<void>;
  /** Stops watching the inhibitor and aborts a shutdown that it reported. */
  stop(): Promise<void>;
  /** Whether a shutdown grace period is configured. */
  readonly isEnabled: boolean;
  /** Why the node is not ready: `node is shutting down`, from the start of a shutdown until it is cancelled. */
  shutdownError(): string | undefined;
  /** The groups that a shutdown would kill one after the other, with the grace period of each pod. */
  plan(): ShutdownGroup[];
  /**
   * Rejects new pods from now on and kills the active pods by rising priority; resolves when all have terminated or their periods ended.
   * A second call returns the same shutdown. Does nothing if `isEnabled` is false. When the signal aborts, it rejects with the signal's
   * reason and kills no further group.
   */
  shutdown(signal?: AbortSignal): Promise<void>;
  /** Cancels the shutdown: kills no further group and admits new pods again. Killed pods stay terminated. */
  cancel(): void;
}

/**
 * Creates a {@link ShutdownManager}. Does no I/O and starts no timer. Throws `InvalidOption` naming the field. Kubernetes documentation,
 * "Node Shutdowns: Graceful node shutdown".
 */
export function createShutdownManager(options: ShutdownManagerOptions): ShutdownManager {
  const { nodeName = defaultNodeName(), settings, activePods, killPod } = options;
  if (typeof nodeName !== 'string' || nodeName === '') throw invalidOption('nodeName', 'the name of the node', nodeName);
  for (const [field, value] of Object.entries({ activePods, killPod })) {
    if (typeof value !== 'function') throw invalidOption(field, 'a function', value);
  }
  checkShutdownSettings(settings);
  return new Manager({ ...options, nodeName });
}

class Manager implements ShutdownManager {
  readonly isEnabled: boolean;
  readonly #options: ShutdownManagerOptions;
  readonly #periods: ShutdownPeriod[];
  readonly #node: ObjectReference;
  readonly #clock: Clock;
  readonly #recorder: EventRecorder;
  readonly #logger: Logger;
  readonly #startTime: Gauge;
  readonly #endTime: Gauge;
  /** Aborts the current or completed shutdown; undefined before the first one and after a cancellation. */
  #current: AbortController | undefined;
  #done = Promise.resolve();
  /** Aborts the watch of the inhibitor; undefined unless started. */
  #watching: AbortController | undefined;

  constructor(options: ShutdownManagerOptions & { nodeName: string }) {
    const { nodeName, settings, clock = systemClock, recorder = noEvents, logger = silentLogger, metrics = noMetrics } = options;
    this.#options = options;
    this.#periods = shutdownPeriods(settings);
    this.isEnabled = this.#periods.length > 0;
    this.#node = { kind: 'Node', name: nodeName, uid: nodeName };
    this.#clock = clock;
    this.#recorder = recorder;
    this.#logger = logger;
    this.#startTime = metrics.gauge({
      name: 'kubelet_graceful_shutdown_start_time_seconds',
      help: 'Last graceful shutdown start time since unix epoch in seconds',
    });
    this.#endTime = metrics.gauge({
      name: 'kubelet_graceful_shutdown_end_time_seconds',
      help: 'Last graceful shutdown end time since unix epoch in seconds',
    });
  }

  async start(signal?: AbortSignal): Promise<void> {
    if (this.#watching !== undefined || signal?.aborted) return;
    const started = new AbortController();
    this.#watching = started;
    onAbort(signal, () => this.#stopWatching(), started.signal);
    const { state, inhibitor } = this.#options;
    const last = await state?.load().catch((error) => {
      this.#logger.warn({ err: error }, 'failed to read the times of the last shutdown');
    });
    if (last !== undefined && this.#current === undefined) this.#setTimeMetrics(last);
    if (!this.isEnabled || started.signal.aborted) return;
    const onShutdown = () => this.shutdown(started.signal);
    const onCancelled = () => this.cancel();
    await inhibitor?.watch({ seconds: shutdownSeconds(this.#periods), onShutdown, onCancelled }, started.signal);
  }

  async stop(): Promise<void> {
    this.#stopWatching();
  }

  shutdownError(): string | undefined {
    return this.#current === undefined ? undefined : 'node is shutting down';
  }

  plan(): ShutdownGroup[] {
    return shutdownGroups(this.#periods, this.#options.activePods());
  }

  shutdown(signal?: AbortSignal): Promise<void> {
    if (!this.isEnabled) return Promise.resolve();
    if (this.#current === undefined) {
      this.#done = withController(signal, (own) => {
        this.#current = own;
        return this.#run(own.signal);
      });
      this.#done.catch(() => {});
    }
    return abortable(this.#done, signal);
  }

  cancel(): void {
    if (this.#current === undefined) return;
    this.#recorder.event(this.#node, 'Normal', 'Shutdown', 'Shutdown manager detected shutdown cancellation');
    this.#current.abort(new Error('the shutdown was cancelled'));
    this.#current = undefined;
    this.#syncNodeStatus('cancellation');
  }

  admit(): PodAdmitResult {
    if (this.#current === undefined) return { admit: true };
    return { admit: false, reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' };
  }

  #setTimeMetrics(last: ShutdownState): void {
    this.#startTime.set(last.startTime / 1000);
    this.#endTime.set((last.endTime ?? 0) / 1000);
  }

  async #storeTimes(last: ShutdownState): Promise<void> {
    this.#setTimeMetrics(last);
    await this.#options.state?.save(last).catch((error) => this.#logger.warn({ err: error }, 'failed to store the times of the shutdown'));
  }

  async #run(signal: AbortSignal): Promise<void> {
    this.#recorder.event(this.#node, 'Normal', 'Shutdown', 'Shutdown manager detected shutdown event');
    const startedAt = this.#clock.now();
    const stored = this.#storeTimes({ startTime: startedAt });
    this.#syncNodeStatus('shutdown');
    const ports = { ...this.#options, clock: this.#clock, logger: this.#logger };
    for (const group of this.plan()) {
      signal.throwIfAborted();
      if (group.pods.length > 0) await terminateGroup(group, ports, signal);
    }
    await stored;
    await this.#storeTimes({ startTime: startedAt, endTime: this.#clock.now() });
  }

  #syncNodeStatus(change: 'shutdown' | 'cancellation'): void {
    const { syncNodeStatus } = this.#options;
    syncNodeStatus?.().catch((error) => this.#logger.warn({ err: error }, `failed to report the ${change} in the node status`));
  }

  #stopWatching(): void {
    this.#watching?.abort(new Error('the shutdown manager was stopped'));
    this.#watching = undefined;
  }
}
