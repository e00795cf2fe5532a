import {
  abandonAtDeadline,
  type Clock,
  checkOptionNames,
  errorCode,
  errorMessage,
  invalidOption,
  isPathBelow,
  type Logger,
  type OptionNames,
  requirePositive,
  type Startable,
  silentLogger,
  systemClock,
  type Timer,
} from '@nodeagent/api';
import type { CallOptions, RuntimeService } from '@nodeagent/cri-api';
import { deadlineExceeded } from './errors.js';
import { type LogFiles, nodeLogFiles } from './log-files.js';
import { rotateLog } from './rotate-log.js';
import { type LogRotatorSettings, resolveLogSettings } from './settings.js';

export interface LogRotatorOptions {
  /** The container runtime. `listContainers` is required without `runningContainers`. */
  cri: Pick<RuntimeService, 'containerStatus' | 'reopenContainerLog'> & Partial<Pick<RuntimeService, 'listContainers'>>;
  /**
   * Ids of the running containers, called at each check. Ids from a PLEG save the runtime a listing at each check. Default:
   * `cri.listContainers`.
   */
  runningContainers?(signal: AbortSignal): Iterable<string> | Promise<Iterable<string>>;
  /** Rotates only logs below this folder, whatever paths the runtime reports. Default: all logs. */
  podLogsDir?: string;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: the node's file system. */
  files?: LogFiles;
  logger?: Logger;
  /** Timeout of a CRI call in milliseconds. Default 2 minutes. */
  runtimeRequestTimeoutMs?: number;
  settings?: LogRotatorSettings;
}

const optionNames: OptionNames<LogRotatorOptions> = {
  cri: true,
  runningContainers: true,
  podLogsDir: true,
  clock: true,
  files: true,
  logger: true,
  runtimeRequestTimeoutMs: true,
  settings: { containerLogMaxSize: true, containerLogMaxFiles: true, containerLogMaxWorkers: true, containerLogMonitorIntervalMs: true },
};

/** Rotates the logs of running containers by size. */
export interface LogRotator extends Startable {
  /** Checks all logs now, and resolves when those above the size limit are rotated. Never rejects: failures are logged, and the next check retries. */
  rotateLogs(): Promise<void>;
}

/**
 * Creates a {@link LogRotator}. Does no I/O and starts no timer. Throws InvalidOption naming the field.
 *
 * It reads a container's log path once. After that a check costs one `stat` for each running container and, with `runningContainers`, no
 * CRI call.
 */
export function createLogRotator(options: LogRotatorOptions): LogRotator {
  checkOptionNames('createLogRotator', options, optionNames);
  const { cri, podLogsDir, clock = systemClock, files = nodeLogFiles, logger = silentLogger } = options;
  const { runtimeRequestTimeoutMs: timeoutMs = 120_000 } = options;
  checkOptions(options);
  const settings = resolveLogSettings(options.settings);
  const isOff = settings.maxSize < 0;

  /** Log paths by container; empty for a container without a log. Holds running containers only. */
  const logPaths = new Map<string, string>();
  /** The last failures, so that a lasting failure is logged once. */
  const failures = new Map<string, string>();
  /** Containers whose missing log was reopened and is still missing: the runtime may not write log files, so it is not asked again. */
  const reopened = new Set<string>();
  const waiting = new Set<string>();
  const busy = new Map<string, Promise<void>>();
  let controller = new AbortController();
  let timer: Timer | undefined;
  let started = false;
  let currentCheck: Promise<void> | undefined;

  const call = <T>(name: string, run: (options: CallOptions) => Promise<T>): Promise<T> => {
    const error = () => deadlineExceeded(name, timeoutMs);
    return abandonAtDeadline({ clock, timeoutMs, signal: controller.signal, error }, (signal) => run({ signal, timeoutMs }));
  };

  const listRunning = async (): Promise<Iterable<string>> => {
    if (options.runningContainers) return options.runningContainers(controller.signal);
    const filter = { state: { state: 'CONTAINER_RUNNING' } } as const;
    const answer = await call('ListContainers', async (bound) => cri.listContainers?.({ filter }, bound));
    return (answer?.containers ?? []).map(({ id }) => id);
  };
  const statusOf = async (containerId: string) =>
    (await call('ContainerStatus', (bound) => cri.containerStatus({ containerId }, bound))).status;

  /** The container's log path; undefined if the container is not running. */
  const logPathOf = async (id: string): Promise<string | undefined> => {
    const known = logPaths.get(id);
    if (known !== undefined) return known;
    const status = await statusOf(id);
    if (status?.state !== 'CONTAINER_RUNNING') return undefined;
    const { logPath } = status;
    const isOurs = logPath === '' || podLogsDir === undefined || isPathBelow(logPath, podLogsDir);
    if (!isOurs) logger.warn({ containerID: id, path: logPath }, 'the log of the container is not in the folder of logs, not rotating it');
    const path = isOurs ? logPath : '';
    logPaths.set(id, path);
    return path;
  };

  const check = async (id: string): Promise<void> => {
    try {
      const path = await logPathOf(id);
      if (path) {
        const isRunning = async () => (await statusOf(id))?.state === 'CONTAINER_RUNNING';
        const reopen = async () => {
          await call('ReopenContainerLog', (bound) => cri.reopenContainerLog({ containerId: id }, bound));
        };
        const context = { clock, files, logger, settings, isRunning, reopen, wasReopened: reopened.has(id), signal: controller.signal };
        if (await rotateLog(path, context)) reopened.add(id);
        else reopened.delete(id);
      }
      failures.delete(id);
    } catch (error) {
      // Removed since it was listed.
      if (!controller.signal.aborted && errorCode(error) !== 'CRI_NOT_FOUND') report(id, error);
    }
  };
  const report = (id: string, error: unknown) => {
    const message = errorMessage(error);
    if (failures.get(id) === message) return;
    failures.set(id, message);
    logger.warn({ containerID: id, log: logPaths.get(id), err: error }, 'failed to rotate log for container');
  };

  const work = async (): Promise<void> => {
    for (const id of waiting) {
      waiting.delete(id);
      const checking = check(id);
      busy.set(id, checking);
      await checking;
      busy.delete(id);
    }
  };
  let workers: Promise<void>[] = [];
  const forget = (running: ReadonlySet<string>) => {
    for (const known of [logPaths, failures, reopened]) for (const id of [...known.keys()]) if (!running.has(id)) known.delete(id);
    for (const id of [...waiting]) if (!running.has(id)) waiting.delete(id);
  };
  /** Queues every running container that is not queued or being rotated; the queue is bounded by the number of running containers. */
  const queueRunning = async (): Promise<void> => {
    try {
      const running = new Set(await listRunning());
      forget(running);
      for (const id of running) if (!busy.has(id)) waiting.add(id);
      failures.delete('');
    } catch (error) {
      if (!controller.signal.aborted) report('', error);
      return;
    }
    const free = Math.min(settings.maxWorkers - workers.length, waiting.size);
    for (let count = 0; count < free; count++) {
      const worker = work().finally(() => {
        workers = workers.filter((each) => each !== worker);
      });
      workers.push(worker);
    }
  };
  const schedule = () => {
    if (!started) return;
    timer = clock.setTimeout(() => {
      currentCheck = queueRunning().finally(schedule);
    }, settings.monitorIntervalMs);
  };

  const stop = async () => {
    if (!started) return;
    started = false;
    timer?.cancel();
    controller.abort(new Error('the log rotator was stopped'));
    await currentCheck;
    await Promise.all(workers);
  };
  return {
    async start(signal) {
      if (started || isOff || signal?.aborted) return;
      started = true;
      controller = new AbortController();
      signal?.addEventListener('abort', () => void stop(), { once: true });
      schedule();
    },
    stop,
    async rotateLogs() {
      if (isOff) return;
      await queueRunning();
      await Promise.all(workers);
    },
  };
}

function checkOptions({ cri, runningContainers, clock = systemClock, runtimeRequestTimeoutMs }: LogRotatorOptions): void {
  const functions = {
    'cri.containerStatus': cri?.containerStatus,
    'cri.reopenContainerLog': cri?.reopenContainerLog,
    'cri.listContainers': runningContainers ?? cri?.listContainers,
    'clock.now': clock?.now,
  };
  for (const [field, value] of Object.entries(functions)) if (typeof value !== 'function') throw invalidOption(field, 'a function', value);
  requirePositive('runtimeRequestTimeoutMs', runtimeRequestTimeoutMs);
}
