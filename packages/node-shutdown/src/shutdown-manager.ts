import {
  abandonAtDeadline,
  abortable,
  type Clock,
  checkOptionNames,
  defaultNodeName,
  type EventRecorder,
  invalidOption,
  type Logger,
  type Metrics,
  noEvents,
  noMetrics,
  type OptionNames,
  onAbort,
  type Pod,
  type PodAdmitHandler,
  type PodStatus,
  podKey,
  silentLogger,
  systemClock,
  terminatedByKubelet,
  withController,
} from '@nodeagent/api';
import {
  checkShutdownSettings,
  type ShutdownGroup,
  type ShutdownSettings,
  shutdownGroups,
  shutdownPeriods,
  shutdownSeconds,
} from './shutdown-groups.js';
import type { ShutdownInhibitor } from './shutdown-inhibitor.js';
import type { ShutdownState, ShutdownStateStore } from './shutdown-state.js';

/** How a pod is killed when the node shuts down. */
export interface ShutdownKill {
  /** Grace period in seconds, instead of the pod's own. */
  gracePeriodOverride: number;
  podStatusFunc(status: PodStatus): PodStatus;
  /** Ends the wait, not the kill. */
  signal: AbortSignal;
}

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

const optionNames: OptionNames<ShutdownManagerOptions> = {
  nodeName: true,
  settings: { shutdownGracePeriodSeconds: true, shutdownGracePeriodCriticalPodsSeconds: true, shutdownGracePeriodByPodPriority: true },
  activePods: true,
  killPod: true,
  waitForUnmount: true,
  syncNodeStatus: true,
  inhibitor: true,
  state: true,
  clock: true,
  recorder: true,
  logger: true,
  metrics: true,
};

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

const message = 'Pod was terminated in response to imminent node shutdown.';

/** The status of a pod that was terminated because its node shuts down. `now` is in milliseconds since 1970. */
export function shutdownStatus(pod: Pod, before: PodStatus, now: number): PodStatus {
  const status = terminatedByKubelet(pod, before, { reason: 'Terminated', message }, now);
  return before.phase === 'Succeeded' ? { ...status, phase: before.phase } : status;
}

/**
 * Creates a {@link ShutdownManager}. Does no I/O and starts no timer. Throws `InvalidOption` naming the field. Kubernetes documentation,
 * "Node Shutdowns: Graceful node shutdown".
 */
export function createShutdownManager(options: ShutdownManagerOptions): ShutdownManager {
  checkOptionNames('createShutdownManager', options, optionNames);
  const { nodeName = defaultNodeName(), settings, activePods, killPod, waitForUnmount, syncNodeStatus, inhibitor, state } = options;
  const { clock = systemClock, recorder = noEvents, logger = silentLogger, metrics = noMetrics } = options;
  if (typeof nodeName !== 'string' || nodeName === '') throw invalidOption('nodeName', 'the name of the node', nodeName);
  for (const [field, value] of Object.entries({ activePods, killPod })) {
    if (typeof value !== 'function') throw invalidOption(field, 'a function', value);
  }
  checkShutdownSettings(settings);
  const periods = shutdownPeriods(settings);
  const node = { kind: 'Node', name: nodeName, uid: nodeName };
  const startTime = metrics.gauge({
    name: 'kubelet_graceful_shutdown_start_time_seconds',
    help: 'Last graceful shutdown start time since unix epoch in seconds',
  });
  const endTime = metrics.gauge({
    name: 'kubelet_graceful_shutdown_end_time_seconds',
    help: 'Last graceful shutdown end time since unix epoch in seconds',
  });
  /** Aborts the current or completed shutdown; undefined before the first one and after a cancellation. */
  let current: AbortController | undefined;
  let done = Promise.resolve();

  const kill = async (pod: Pod, gracePeriodOverride: number, signal: AbortSignal) => {
    logger.info({ pod: podKey(pod), gracePeriodOverride }, 'killing a pod because the node shuts down');
    const podStatusFunc = (before: PodStatus) => shutdownStatus(pod, before, clock.now());
    await killPod(pod, { gracePeriodOverride, podStatusFunc, signal }).catch((error) => {
      if (!signal.aborted) logger.warn({ pod: podKey(pod), err: error }, 'failed to kill a pod for the shutdown');
    });
  };
  /** Resolves when all pods have terminated and their volumes are unmounted, or when the group's period ends. */
  const endGroup = async ({ priority, shutdownGracePeriodSeconds, pods }: ShutdownGroup, signal: AbortSignal) => {
    const deadline = {
      clock,
      timeoutMs: shutdownGracePeriodSeconds * 1000,
      signal,
      error: () => new Error('the shutdown grace period of the group has ended'),
    };
    const ending = async (limited: AbortSignal) => {
      await Promise.all(pods.map(({ pod, gracePeriodSeconds }) => kill(pod, gracePeriodSeconds, limited)));
      await waitForUnmount?.(
        pods.map(({ pod }) => pod),
        limited,
      );
    };
    try {
      await abandonAtDeadline(deadline, ending);
    } catch (error) {
      signal.throwIfAborted();
      logger.warn({ priority, err: error }, 'pods or volumes of a shutdown group are left after its grace period');
    }
  };
  const setTimeMetrics = (last: ShutdownState) => {
    startTime.set(last.startTime / 1000);
    endTime.set((last.endTime ?? 0) / 1000);
  };
  const storeTimes = async (last: ShutdownState) => {
    setTimeMetrics(last);
    await state?.save(last).catch((error) => logger.warn({ err: error }, 'failed to store the times of the shutdown'));
  };
  const run = async (signal: AbortSignal) => {
    recorder.event(node, 'Normal', 'Shutdown', 'Shutdown manager detected shutdown event');
    const startedAt = clock.now();
    const stored = storeTimes({ startTime: startedAt });
    syncNodeStatus?.().catch((error) => logger.warn({ err: error }, 'failed to report the shutdown in the node status'));
    for (const group of shutdownGroups(periods, activePods())) {
      signal.throwIfAborted();
      if (group.pods.length > 0) await endGroup(group, signal);
    }
    await stored;
    await storeTimes({ startTime: startedAt, endTime: clock.now() });
  };
  const shutdown: ShutdownManager['shutdown'] = (signal) => {
    if (periods.length === 0) return Promise.resolve();
    if (current === undefined) {
      done = withController(signal, (own) => {
        current = own;
        return run(own.signal);
      });
      done.catch(() => {});
    }
    return abortable(done, signal);
  };
  const cancel = () => {
    if (current === undefined) return;
    recorder.event(node, 'Normal', 'Shutdown', 'Shutdown manager detected shutdown cancellation');
    current.abort(new Error('the shutdown was cancelled'));
    current = undefined;
    syncNodeStatus?.().catch((error) => logger.warn({ err: error }, 'failed to report the cancellation in the node status'));
  };
  let following: AbortController | undefined;
  const stop = () => {
    following?.abort(new Error('the shutdown manager was stopped'));
    following = undefined;
  };

  return {
    async start(signal) {
      if (following !== undefined || signal?.aborted) return;
      const started = new AbortController();
      following = started;
      onAbort(signal, stop, started.signal);
      const last = await state?.load().catch((error) => {
        logger.warn({ err: error }, 'failed to read the times of the last shutdown');
      });
      if (last !== undefined && current === undefined) setTimeMetrics(last);
      if (periods.length === 0 || started.signal.aborted) return;
      const onShutdown = () => shutdown(started.signal);
      await inhibitor?.watch({ seconds: shutdownSeconds(periods), onShutdown, onCancelled: cancel }, started.signal);
    },
    stop: async () => stop(),
    isEnabled: periods.length > 0,
    shutdownError: () => (current === undefined ? undefined : 'node is shutting down'),
    plan: () => shutdownGroups(periods, activePods()),
    shutdown,
    cancel,
    admit: () =>
      current === undefined
        ? { admit: true }
        : { admit: false, reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' },
  };
}
