import { mkdirSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { type Clock, invalidOption, type Logger, NodeAgentError, type Startable, silentLogger, systemClock } from '@nodeagent/api';
import { lockExclusively } from '@nodeagent/api/files';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import { processRuntimeErrorCodes, rootLocked } from './errors.js';
import { createImageService } from './image-service.js';
import { loadRuntime, lockName } from './load-runtime.js';
import { createRuntimeService } from './runtime-service.js';
import type { StartedRuntime } from './service/context.js';
import { createStamps, type Stamps } from './stamps.js';
import { createStartStop } from './start-stop.js';
import { openStore } from './store.js';
import type { Identity } from './user.js';
import { version } from './version.js';

/** Options of {@link createProcessRuntime}. */
export interface ProcessRuntimeOptions {
  /** Absolute path of the folder for the runtime's state; created with mode 0700 if it is missing. One process at a time may use it. */
  root: string;
  /** Default: the system clock. */
  clock?: Clock;
  /** Default: silent. */
  logger?: Logger;
  /** Reported by the Version call. Default `nodeagent-process`. */
  runtimeName?: string;
  /** The IP address that pods report. Default: the machine's first address that is not a loopback one, else 127.0.0.1. */
  address?: string;
  /** Grace period of containers of a crashed run, between their stop signal and SIGKILL at the start, in milliseconds. Default 2000. */
  leftoverGraceMs?: number;
}

/**
 * A container runtime on plain Linux processes, in this process. The two services are those of the CRI; errors have the `CRI_*` codes
 * of {@link processRuntimeErrorCodes}. Calls before the start and after the stop fail with CRI_FAILED_PRECONDITION, except those that only describe the
 * runtime and its image.
 */
export interface ProcessRuntime extends Startable {
  readonly runtime: RuntimeService;
  readonly image: ImageService;
  /**
   * Locks the root folder, reads the records of the previous run, and kills containers that still run: their output pipes are lost, so they
   * are reported as exited, and a kubelet restarts them. Idempotent.
   *
   * @throws NodeAgentError RuntimeRootLocked, UnsupportedPlatform
   */
  start(signal?: AbortSignal): Promise<void>;
  /**
   * Unlocks the root folder and detaches from the containers. They keep running, without a reader of their output, until the next start
   * kills them. Call {@link ProcessRuntime.stopAll} first to stop them. Idempotent.
   */
  stop(): Promise<void>;
  /** Stops every container: its stop signal, SIGKILL after `timeoutMs` (default 10000). Resolves when all have exited. */
  stopAll(timeoutMs?: number): Promise<void>;
}

/** Creates an embedded runtime. Does no I/O before {@link ProcessRuntime.start}. */
export function createProcessRuntime(options: ProcessRuntimeOptions): ProcessRuntime {
  checkOptions(options);
  return new Runtime(options);
}

class Runtime implements ProcessRuntime {
  readonly runtime: RuntimeService;
  readonly image: ImageService;
  readonly #options: ProcessRuntimeOptions;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #stamps: Stamps;
  /** The runtime's user. */
  readonly #own: Identity = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  #started: (StartedRuntime & { unlock(): void }) | undefined;

  constructor(options: ProcessRuntimeOptions) {
    const { root, clock = systemClock, logger = silentLogger, runtimeName = 'nodeagent-process' } = options;
    this.#options = options;
    this.#clock = clock;
    this.#logger = logger;
    this.#stamps = createStamps(clock);
    const { now } = this.#stamps;
    this.runtime = createRuntimeService({ clock, runtimeName, runtimeVersion: version, now, live: () => this.#started });
    this.image = createImageService({ clock, root, uid: this.#own.uid, now });
    const { start, stop } = createStartStop({ start: () => this.#start(), stop: () => this.#stop() });
    this.start = start;
    this.stop = stop;
  }

  // The next three are properties, because callers destructure the runtime.
  readonly start: (signal?: AbortSignal) => Promise<void>;
  readonly stop: () => Promise<void>;

  readonly stopAll = async (timeoutMs = 10_000): Promise<void> => {
    const containers = this.#started?.containers;
    await Promise.all(containers?.list().map(({ id }) => containers.stop(id, timeoutMs)) ?? []);
  };

  async #start(): Promise<void> {
    if (this.#started !== undefined) return;
    if (process.platform !== 'linux') {
      throw new NodeAgentError(
        processRuntimeErrorCodes.unsupportedPlatform,
        `the embedded runtime needs Linux; this is ${process.platform}`,
      );
    }
    const { root, address, leftoverGraceMs = 2000 } = this.#options;
    mkdirSync(root, { recursive: true, mode: 0o700 });
    const unlock = await lockExclusively(root, lockName, (holder) => rootLocked(root, holder));
    try {
      const settings = { root, address, leftoverGraceMs, own: this.#own };
      const loaded = await loadRuntime(openStore(root), { ...settings, clock: this.#clock, logger: this.#logger, stamps: this.#stamps });
      this.#started = { ...loaded, unlock };
    } catch (error) {
      unlock();
      throw error;
    }
  }

  async #stop(): Promise<void> {
    if (this.#started === undefined) return;
    const { containers, events, streams, unlock } = this.#started;
    this.#started = undefined;
    events.close();
    await streams.close();
    await containers.release();
    unlock();
  }
}

function checkOptions({ root, leftoverGraceMs = 0 }: ProcessRuntimeOptions): void {
  if (!isAbsolute(root) || resolve(root) === '/') {
    throw invalidOption('root', 'the absolute path of a folder that only this runtime uses', root);
  }
  if (!(leftoverGraceMs >= 0)) throw invalidOption('leftoverGraceMs', 'a number that is not negative', leftoverGraceMs);
}
