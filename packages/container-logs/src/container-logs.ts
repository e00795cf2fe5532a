import { abandonAtDeadline, type Clock, errorCode, errorMessage, type Logger } from '@nodeagent/api';
import { isPathBelow } from '@nodeagent/api/helpers';
import type { CallOptions, ContainerStatus, RuntimeService } from '@nodeagent/cri-api';
import { deadlineExceeded } from './errors.js';
import type { LogFiles } from './log-files.js';
import { rotateLog } from './rotate-log.js';
import type { ResolvedLogSettings } from './settings.js';

/** The logs of the running containers. */
export interface ContainerLogs {
  /** Lists the running containers and forgets all others. Logs a failure and resolves to undefined. */
  running(): Promise<ReadonlySet<string> | undefined>;
  /** Rotates a container's log if it is above the size limit. Logs a failure. */
  rotate(id: string): Promise<void>;
}

interface ContainerLogsOptions {
  cri: Pick<RuntimeService, 'containerStatus' | 'reopenContainerLog'> & Partial<Pick<RuntimeService, 'listContainers'>>;
  runningContainers?(signal: AbortSignal): Iterable<string> | Promise<Iterable<string>>;
  podLogsDir?: string;
  clock: Clock;
  files: LogFiles;
  logger: Logger;
  runtimeRequestTimeoutMs: number;
  settings: ResolvedLogSettings;
  /** The signal of the current run of the rotator. */
  signal(): AbortSignal;
}

export function createContainerLogs(options: ContainerLogsOptions): ContainerLogs {
  return new Logs(options);
}

class Logs implements ContainerLogs {
  readonly #options: ContainerLogsOptions;
  /** Log paths by container; empty for a container without a log. Holds running containers only. */
  readonly #logPaths = new Map<string, string>();
  /** The last failures, so that a lasting failure is logged once. */
  readonly #failures = new Map<string, string>();
  /** Containers whose missing log was reopened and is still missing: the runtime may not write log files, so it is not asked again. */
  readonly #reopened = new Set<string>();

  constructor(options: ContainerLogsOptions) {
    this.#options = options;
  }

  async running(): Promise<ReadonlySet<string> | undefined> {
    try {
      const running = new Set(await this.#list());
      for (const known of [this.#logPaths, this.#failures, this.#reopened]) {
        for (const id of [...known.keys()]) if (!running.has(id)) known.delete(id);
      }
      return running;
    } catch (error) {
      if (!this.#options.signal().aborted) this.#report('', error);
      return undefined;
    }
  }

  async rotate(id: string): Promise<void> {
    try {
      const path = await this.#logPath(id);
      if (path) await this.#rotatePath(id, path);
      this.#failures.delete(id);
    } catch (error) {
      // Removed since it was listed.
      if (!this.#options.signal().aborted && errorCode(error) !== 'CRI_NOT_FOUND') this.#report(id, error);
    }
  }

  async #rotatePath(id: string, path: string): Promise<void> {
    const { cri, clock, files, logger, settings, signal } = this.#options;
    const isRunning = async () => (await this.#status(id))?.state === 'CONTAINER_RUNNING';
    const reopen = async () => {
      await this.#call('ReopenContainerLog', (bound) => cri.reopenContainerLog({ containerId: id }, bound));
    };
    const context = { clock, files, logger, settings, isRunning, reopen, wasReopened: this.#reopened.has(id), signal: signal() };
    if (await rotateLog(path, context)) this.#reopened.add(id);
    else this.#reopened.delete(id);
  }

  async #list(): Promise<Iterable<string>> {
    const { cri, runningContainers, signal } = this.#options;
    if (runningContainers) return runningContainers(signal());
    const filter = { state: { state: 'CONTAINER_RUNNING' } } as const;
    const answer = await this.#call('ListContainers', async (bound) => cri.listContainers?.({ filter }, bound));
    return (answer?.containers ?? []).map(({ id }) => id);
  }

  /** The container's log path; undefined if the container is not running. */
  async #logPath(id: string): Promise<string | undefined> {
    const known = this.#logPaths.get(id);
    if (known !== undefined) return known;
    const status = await this.#status(id);
    if (status?.state !== 'CONTAINER_RUNNING') return undefined;
    const { logPath } = status;
    const { podLogsDir, logger } = this.#options;
    const isOurs = logPath === '' || podLogsDir === undefined || isPathBelow(logPath, podLogsDir);
    if (!isOurs) logger.warn({ containerID: id, path: logPath }, 'the log of the container is not in the folder of logs, not rotating it');
    const path = isOurs ? logPath : '';
    this.#logPaths.set(id, path);
    return path;
  }

  async #status(containerId: string): Promise<ContainerStatus | undefined> {
    return (await this.#call('ContainerStatus', (bound) => this.#options.cri.containerStatus({ containerId }, bound))).status;
  }

  #call<T>(name: string, run: (options: CallOptions) => Promise<T>): Promise<T> {
    const { clock, runtimeRequestTimeoutMs: timeoutMs, signal } = this.#options;
    const error = () => deadlineExceeded(name, timeoutMs);
    return abandonAtDeadline({ clock, timeoutMs, signal: signal(), error }, (bound) => run({ signal: bound, timeoutMs }));
  }

  #report(id: string, error: unknown): void {
    const message = errorMessage(error);
    if (this.#failures.get(id) === message) return;
    this.#failures.set(id, message);
    this.#options.logger.warn({ containerID: id, log: this.#logPaths.get(id), err: error }, 'failed to rotate log for container');
  }
}
