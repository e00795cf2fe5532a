import {
  abandonAtDeadline,
  abortable,
  type Clock,
  type EventRecorder,
  errorHint,
  errorMessage,
  invalidOption,
  type Logger,
  type Metrics,
  noEvents,
  noMetrics,
  onAbort,
  type Pod,
  type PodAdmitHandler,
  type PodStatus,
  podFullName,
  silentLogger,
  systemClock,
  terminatedByKubelet,
  withController,
} from '@nodeagent/api';
import { type ShutdownGroup, type ShutdownSettings, shutdownGroups, shutdownPeriods, shutdownSeconds } from './shutdown-groups.js';
import type { ShutdownInhibitor } from './shutdown-inhibitor.js';
import type { ShutdownState, ShutdownStateStore } from './shutdown-state.js';

/** How a pod is killed when the node shuts down. */
export interface ShutdownKill {
  /** Seconds, instead of the pod's own. */
  gracePeriodOverride: number;
  podStatusFunc(status: PodStatus): PodStatus;
  /** Ends the wait, not the kill. */
  signal: AbortSignal;
}

/** Options of {@link createShutdownManager}. */
export interface ShutdownManagerOptions {
  /** The node in events. */
  nodeName: string;
  settings: ShutdownSettings;
  /** The pods that live on the node. */
  activePods(): readonly Pod[];
  /** Resolves when the pod's containers are gone. A rejection is logged. */
  killPod(pod: Pod, kill: ShutdownKill): Promise<void>;
  /** Resolves when no volume of the pods is mounted any more. A rejection is logged. Default: at once. */
  waitForUnmount?(pods: readonly Pod[], signal: AbortSignal): Promise<void>;
  /** Reports the node's status without waiting for the next round. Not waited for; a rejection is logged. Default: nothing. */
  syncNodeStatus?(): Promise<void>;
  /** Tells when the machine goes down. Default: whoever calls `shutdown()`. */
  inhibitor?: ShutdownInhibitor;
  /** Where the times of the last shutdown are kept. Default: nowhere. */
  state?: ShutdownStateStore;
  clock?: Clock;
  recorder?: EventRecorder;
  logger?: Logger;
  metrics?: Metrics;
}

/** Ends a node's pods in order before the node goes. */
export interface ShutdownManager extends PodAdmitHandler {
  /**
   * From now on the inhibitor's shutdowns are followed, if this is enabled; the metrics tell of the last one. Rejects as the inhibitor where
   * it cannot hold up the machine: `shutdown()` works all the same.
   */
  start(signal?: AbortSignal): Promise<void>;
  /** Follows the inhibitor no longer; a shutdown that it told of ends where it is. */
  stop(): Promise<void>;
  /** Whether there is time for a graceful shutdown at all. */
  readonly isEnabled: boolean;
  /** `node is shutting down` from the beginning of a shutdown until it is cancelled: why the node is not ready. */
  shutdownError(): string | undefined;
  /** Which pods would be killed one group after the other, each with its time. */
  plan(): ShutdownGroup[];
  /**
   * Refuses new pods from now on and kills those that live here, by rising priority; resolves when all have ended or their time is over.
   * Called again it gives the same shutdown. Does nothing where it is not enabled. Rejects with the signal's reason, and then kills no
   * further group.
   */
  shutdown(signal?: AbortSignal): Promise<void>;
  /** The node stays: no further group is killed, and new pods are taken again. Pods that were killed stay so. */
  cancel(): void;
}

const message = 'Pod was terminated in response to imminent node shutdown.';

/** What a pod reports that had to end because its node shuts down. `now` is in milliseconds since 1970. */
export function shutdownStatus(pod: Pod, before: PodStatus, now: number): PodStatus {
  const status = terminatedByKubelet(pod, before, { reason: 'Terminated', message }, now);
  return before.phase === 'Succeeded' ? { ...status, phase: before.phase } : status;
}

/**
 * Makes a {@link ShutdownManager}. Does no I/O and starts no timer. Throws `InvalidOption` naming the field. Kubernetes documentation, "Node
 * Shutdowns: Graceful node shutdown".
 */
export function createShutdownManager(options: ShutdownManagerOptions): ShutdownManager {
  const { nodeName, settings, activePods, killPod, waitForUnmount, syncNodeStatus, inhibitor, state } = options;
  const { clock = systemClock, recorder = noEvents, logger = silentLogger, metrics = noMetrics } = options;
  if (typeof nodeName !== 'string' || nodeName === '') throw invalidOption('nodeName', 'the name of the node', nodeName);
  for (const [field, value] of Object.entries({ activePods, killPod })) {
    if (typeof value !== 'function') throw invalidOption(field, 'a function', value);
  }
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
  /** Aborts the shutdown that goes on, or is over; undefined as long as there is none. */
  let current: AbortController | undefined;
  let done = Promise.resolve();

  const kill = async (pod: Pod, gracePeriodOverride: number, signal: AbortSignal) => {
    const name = podFullName(pod);
    logger.info({ pod: name, gracePeriodOverride }, 'killing a pod because the node shuts down');
    const podStatusFunc = (before: PodStatus) => shutdownStatus(pod, before, clock.now());
    await killPod(pod, { gracePeriodOverride, podStatusFunc, signal }).catch((error) => {
      if (!signal.aborted) logger.warn({ pod: name, error: errorMessage(error) }, 'a pod did not end for the shutdown');
    });
  };
  /** Ends when all pods are gone with their volumes, or when the group's time is over. */
  const endGroup = async ({ priority, shutdownGracePeriodSeconds, pods }: ShutdownGroup, signal: AbortSignal) => {
    const deadline = { clock, timeoutMs: shutdownGracePeriodSeconds * 1000, signal, error: () => new Error('its time is over') };
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
      logger.warn({ priority, error: errorMessage(error) }, 'a group of pods did not end in time');
    }
  };
  const tellTimes = (last: ShutdownState) => {
    startTime.set(last.startTime / 1000);
    endTime.set((last.endTime ?? 0) / 1000);
  };
  const noteTimes = async (last: ShutdownState) => {
    tellTimes(last);
    await state?.save(last).catch((error) => logger.warn({ error: errorMessage(error) }, 'the times of the shutdown are not kept'));
  };
  const run = async (signal: AbortSignal) => {
    recorder.event(node, 'Normal', 'Shutdown', 'Shutdown manager detected shutdown event');
    const began = clock.now();
    const noted = noteTimes({ startTime: began });
    syncNodeStatus?.().catch((error) => logger.warn({ error: errorMessage(error) }, 'the shutdown could not be reported'));
    for (const group of shutdownGroups(periods, activePods())) {
      signal.throwIfAborted();
      if (group.pods.length > 0) await endGroup(group, signal);
    }
    await noted;
    await noteTimes({ startTime: began, endTime: clock.now() });
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
    syncNodeStatus?.().catch((error) => logger.warn({ error: errorMessage(error) }, 'the end of the shutdown could not be reported'));
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
        logger.warn({ error: errorMessage(error), hint: errorHint(error) }, 'when the node was last shut down is not known');
      });
      if (last !== undefined && current === undefined) tellTimes(last);
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
