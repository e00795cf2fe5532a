import { lstatSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import {
  type Clock,
  checkOptionNames,
  invalidOption,
  type Logger,
  lockExclusively,
  NodeAgentError,
  type OptionNames,
  type Startable,
  silentLogger,
  systemClock,
} from '@nodeagent/api';
import type { ContainerEventType, ImageService, RuntimeService } from '@nodeagent/cri-api';
import { createContainers } from './containers.js';
import { processRuntimeErrorCodes, rootLocked } from './errors.js';
import { createEventHub } from './events.js';
import { createImageService } from './image-service.js';
import { createProcessTable } from './process-table.js';
import { readBootId } from './processes.js';
import { asInterrupted, endLeftovers } from './recovery.js';
import { createRuntimeService, type StartedRuntime } from './runtime-service.js';
import { createSandboxes, primaryAddress } from './sandboxes.js';
import { openStore, type Store } from './store.js';
import { createStreamingServer } from './streaming/streaming-server.js';
import { resolveUser } from './user.js';
import { version } from './version.js';
import { toContainerStatus, toSandboxStatus } from './views.js';

const lockName = 'lock';

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

const optionNames: OptionNames<ProcessRuntimeOptions> = {
  root: true,
  clock: true,
  logger: true,
  runtimeName: true,
  address: true,
  leftoverGraceMs: true,
};

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
  checkOptionNames('createProcessRuntime', options, optionNames);
  const { root, clock = systemClock, logger = silentLogger, runtimeName = 'nodeagent-process', leftoverGraceMs = 2000 } = options;
  checkOptions(options);

  let state: (StartedRuntime & { unlock(): void }) | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let detach = () => {};
  let lastStamp = 0n;

  const now = () => BigInt(Math.trunc(clock.now())) * 1_000_000n;
  const stamp = () => {
    const time = now();
    lastStamp = time > lastStamp ? time : lastStamp + 1n;
    return lastStamp;
  };
  const own = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };

  const load = async (store: Store, unlock: () => void): Promise<StartedRuntime & { unlock(): void }> => {
    const bootId = await readBootId();
    const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
    const processes = createProcessTable({ folder: store.pipeFolder, device: lstatSync(join(root, lockName)).dev });
    const warn = (path: string, error: unknown) => logger.error({ path, err: error }, 'unreadable record set aside');
    const loadedContainers = store.containers.load(warn);
    const loadedSandboxes = store.sandboxes.load(warn);
    for (const { createdAt, startedAt, finishedAt } of loadedContainers) {
      for (const time of [createdAt, startedAt, finishedAt]) if (time > lastStamp) lastStamp = time;
    }
    for (const { createdAt } of loadedSandboxes) if (createdAt > lastStamp) lastStamp = createdAt;

    const interrupted = loadedContainers.filter((record) => record.state === 'CONTAINER_RUNNING' || record.starting);
    const ended = await endLeftovers(loadedContainers, interrupted, { clock, logger, processes, bootId, graceMs: leftoverGraceMs });
    const recovered = loadedContainers.map((record) => {
      if (!interrupted.includes(record)) return record;
      const exited = asInterrupted(record, ended.has(record.id), stamp());
      store.containers.save(exited);
      return exited;
    });

    const events = createEventHub();
    const publish = (type: ContainerEventType, id: string, sandboxId: string) => {
      const sandbox = sandboxes.find(sandboxId);
      events.publish({
        containerId: id,
        containerEventType: type,
        createdAt: now(),
        ...(sandbox && { podSandboxStatus: toSandboxStatus(sandbox) }),
        containersStatuses: containers.list({ podSandboxId: sandboxId }).map(toContainerStatus),
      });
    };
    const sandboxes = createSandboxes(loadedSandboxes, {
      store,
      bootId,
      address: options.address ?? primaryAddress(),
      stamp,
      onEvent: (type, { id }) => publish(type, id, id),
    });
    const containers = createContainers(recovered, {
      clock,
      logger,
      processes,
      store,
      bootId,
      own,
      stamp,
      resolveUser: (config) => resolveUser(config.metadata?.name ?? '', config.linux?.securityContext, own, passwd),
      onEvent: (type, { id, podSandboxId }) => publish(type, id, podSandboxId),
    });
    return { sandboxes, containers, events, streams: createStreamingServer({ clock, logger }), unlock };
  };

  const startOnce = async () => {
    if (state !== undefined) return;
    if (process.platform !== 'linux') {
      throw new NodeAgentError(
        processRuntimeErrorCodes.unsupportedPlatform,
        `the embedded runtime needs Linux; this is ${process.platform}`,
      );
    }
    mkdirSync(root, { recursive: true, mode: 0o700 });
    const unlock = await lockExclusively(root, lockName, (holder) => rootLocked(root, holder));
    try {
      state = await load(openStore(root), unlock);
    } catch (error) {
      unlock();
      throw error;
    }
  };

  const end = async () => {
    if (state === undefined) return;
    const { containers, events, streams, unlock } = state;
    state = undefined;
    detach();
    detach = () => {};
    events.close();
    await streams.close();
    await containers.release();
    unlock();
  };

  const stop = () => inTurn(end);

  return {
    runtime: createRuntimeService({ clock, runtimeName, runtimeVersion: version, now, live: () => state }),
    image: createImageService({ clock, root, uid: own.uid, now }),
    async start(signal) {
      signal?.throwIfAborted();
      await inTurn(startOnce);
      if (signal === undefined) return;
      const abort = () => void stop();
      signal.addEventListener('abort', abort, { once: true });
      const detachOthers = detach;
      detach = () => {
        detachOthers();
        signal.removeEventListener('abort', abort);
      };
      if (signal.aborted) await stop();
    },
    stop,
    async stopAll(timeoutMs = 10_000) {
      const containers = state?.containers;
      await Promise.all(containers?.list().map(({ id }) => containers.stop(id, timeoutMs)) ?? []);
    },
  };
}

function checkOptions({ root, leftoverGraceMs = 0 }: ProcessRuntimeOptions): void {
  if (!isAbsolute(root) || resolve(root) === '/') {
    throw invalidOption('root', 'the absolute path of a folder that only this runtime uses', root);
  }
  if (!(leftoverGraceMs >= 0)) throw invalidOption('leftoverGraceMs', 'a number that is not negative', leftoverGraceMs);
}
