import {
  type Clock,
  invalidOption,
  type Logger,
  requirePositive,
  type Startable,
  silentLogger,
  systemClock,
  type Timer,
} from '@nodeagent/api';
import type { RuntimeService } from '@nodeagent/cri-api';
import { type ContainerLogs, createContainerLogs } from './container-logs.js';
import type { LogFiles } from './log-files.js';
import { type LogRotatorSettings, type ResolvedLogSettings, resolveLogSettings } from './settings.js';

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
  /** The files of the logs: `nodeLogFiles` of `@nodeagent/container-logs/node`. Required unless rotation is off. */
  files?: LogFiles;
  logger?: Logger;
  /** Timeout of a CRI call in milliseconds. Default 2 minutes. */
  runtimeRequestTimeoutMs?: number;
  settings?: LogRotatorSettings;
}

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
  checkOptions(options);
  return new Rotator(options);
}

/** For a rotator that is off. */
const noFiles = {} as LogFiles;

class Rotator implements LogRotator {
  readonly #clock: Clock;
  readonly #settings: ResolvedLogSettings;
  readonly #isOff: boolean;
  readonly #logs: ContainerLogs;
  /** Ids of the containers to check next. */
  readonly #waiting = new Set<string>();
  /** Ids of the containers that are being checked. */
  readonly #busy = new Set<string>();
  #workers: Promise<void>[] = [];
  #controller = new AbortController();
  #timer: Timer | undefined;
  #started = false;
  #currentCheck: Promise<void> | undefined;

  constructor(options: LogRotatorOptions) {
    const { clock = systemClock, files = noFiles, logger = silentLogger, runtimeRequestTimeoutMs = 120_000 } = options;
    this.#clock = clock;
    this.#settings = resolveLogSettings(options.settings);
    this.#isOff = this.#settings.maxSize < 0;
    if (!this.#isOff && files === noFiles) {
      throw invalidOption('files', 'the files of the logs, such as nodeLogFiles of @nodeagent/container-logs/node', options.files);
    }
    const signal = () => this.#controller.signal;
    this.#logs = createContainerLogs({ ...options, clock, files, logger, runtimeRequestTimeoutMs, settings: this.#settings, signal });
  }

  async start(signal?: AbortSignal): Promise<void> {
    if (this.#started || this.#isOff || signal?.aborted) return;
    this.#started = true;
    this.#controller = new AbortController();
    signal?.addEventListener('abort', () => void this.stop(), { once: true });
    this.#schedule();
  }

  async stop(): Promise<void> {
    if (!this.#started) return;
    this.#started = false;
    this.#timer?.cancel();
    this.#controller.abort(new Error('the log rotator was stopped'));
    await this.#currentCheck;
    await Promise.all(this.#workers);
  }

  async rotateLogs(): Promise<void> {
    if (this.#isOff) return;
    await this.#queueRunning();
    await Promise.all(this.#workers);
  }

  async #work(): Promise<void> {
    for (const id of this.#waiting) {
      this.#waiting.delete(id);
      this.#busy.add(id);
      await this.#logs.rotate(id);
      this.#busy.delete(id);
    }
  }

  /** Queues every running container that is not queued or being rotated; the queue is bounded by the number of running containers. */
  async #queueRunning(): Promise<void> {
    const running = await this.#logs.running();
    if (running === undefined) return;
    for (const id of [...this.#waiting]) if (!running.has(id)) this.#waiting.delete(id);
    for (const id of running) if (!this.#busy.has(id)) this.#waiting.add(id);
    const free = Math.min(this.#settings.maxWorkers - this.#workers.length, this.#waiting.size);
    for (let count = 0; count < free; count++) {
      const worker = this.#work().finally(() => {
        this.#workers = this.#workers.filter((each) => each !== worker);
      });
      this.#workers.push(worker);
    }
  }

  #schedule(): void {
    if (!this.#started) return;
    this.#timer = this.#clock.setTimeout(() => {
      this.#currentCheck = this.#queueRunning().finally(() => this.#schedule());
    }, this.#settings.monitorIntervalMs);
  }
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
