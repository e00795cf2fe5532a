import { randomBytes } from 'node:crypto';
import { errorMessage, NodeAgentError } from '@nodeagent/api';
import type { ContainerConfig, ContainerEventType, ContainerFilter, ExecSyncResponse, LinuxContainerResources } from '@nodeagent/cri-api';
import { logPathOf, planContainer, unseenMounts } from './container-config.js';
import { type ContainerRun, type RunPorts, runContainer } from './container-run.js';
import { failedPrecondition, notFound, processRuntimeErrorCodes } from './errors.js';
import { execSync } from './exec.js';
import type { LaunchSpec } from './launch.js';
import type { ContainerRecord, SandboxRecord } from './records.js';
import { signalNumber } from './signals.js';
import type { Store } from './store.js';
import { unenforcedLimits } from './unenforced-limits.js';
import type { Identity } from './user.js';
import { matchesContainer } from './views.js';

/** Ports of the containers. */
export interface ContainerPorts extends Omit<RunPorts, 'pipeFolder'> {
  store: Store;
  bootId: string;
  /** The runtime's user. */
  own: Identity;
  /** The user of a container; throws if the runtime cannot use it. */
  resolveUser(config: ContainerConfig): Identity;
  onEvent(type: ContainerEventType, record: ContainerRecord): void;
}

/** The containers of all sandboxes. Unique prefixes of ids are accepted. */
export interface Containers {
  get(id: string): ContainerRecord;
  list(filter?: ContainerFilter): ContainerRecord[];
  create(sandbox: SandboxRecord, config: ContainerConfig): ContainerRecord;
  start(id: string, sandbox: (id: string) => SandboxRecord): Promise<void>;
  /** Does nothing if the container is unknown or does not run. Resolves when all its processes have exited. */
  stop(id: string, timeoutMs: number, signal?: AbortSignal): Promise<void>;
  /** Kills the container first if it runs. Does nothing if it is unknown. */
  remove(id: string, signal?: AbortSignal): Promise<void>;
  exec(id: string, command: string[], timeoutMs: number, signal?: AbortSignal): Promise<ExecSyncResponse>;
  /** A running container; waits for a start in progress. Rejects with CRI_FAILED_PRECONDITION if the container does not run. */
  running(id: string): Promise<RunningContainer>;
  reopenLog(id: string): Promise<void>;
  recordResources(id: string, resources: LinuxContainerResources): void;
  /** The run of a running container. */
  runOf(id: string): ContainerRun | undefined;
  /** Detaches from every running container; their records do not change. */
  release(): Promise<void>;
}

/** A running container. */
export interface RunningContainer {
  record: ContainerRecord;
  run: ContainerRun;
  /** How to start another process with its environment, folder and user, without input. Throws if the container has exited meanwhile. */
  launch(command: string[]): LaunchSpec;
  pipeFolder: string;
}

interface Entry {
  record: ContainerRecord;
  starting?: Promise<void>;
  run?: ContainerRun;
  /** Resolves when the end of the run is recorded. */
  finished?: Promise<void>;
  removal?: Promise<void>;
}

export function createContainers(loaded: readonly ContainerRecord[], ports: ContainerPorts): Containers {
  const { store, logger } = ports;
  const entries = new Map<string, Entry>(loaded.map((record) => [record.id, { record }]));
  let released = false;

  const find = (id: string): Entry | undefined => {
    const exact = entries.get(id);
    if (exact !== undefined || id === '') return exact;
    const matches = [...entries.values()].filter(({ record }) => record.id.startsWith(id));
    return matches.length === 1 ? matches[0] : undefined;
  };
  const need = (id: string): Entry => {
    const entry = find(id);
    if (entry === undefined) throw notFound(`container "${id}" not found`);
    return entry;
  };
  const change = (entry: Entry, changes: Partial<ContainerRecord>) => {
    entry.record = { ...entry.record, ...changes };
    try {
      store.containers.save(entry.record);
    } catch (error) {
      logger.error({ containerID: entry.record.id, err: error }, 'cannot save the state of a container');
    }
  };

  const launchSpec = (record: ContainerRecord): LaunchSpec => {
    const { command, env, cwd, stdin } = planContainer(record.config);
    const isOwn = record.user.uid === ports.own.uid && record.user.gid === ports.own.gid;
    return { command, env, cwd, stdin, ...(!isOwn && { user: record.user }) };
  };

  const startEntry = async (entry: Entry) => {
    const { record } = entry;
    change(entry, { starting: true, bootId: ports.bootId });
    const onStarted: Parameters<typeof runContainer>[0]['onStarted'] = (process) =>
      change(entry, { state: 'CONTAINER_RUNNING', starting: false, startedAt: ports.stamp(), process });
    try {
      const spec = {
        containerId: record.id,
        launch: launchSpec(record),
        logPath: record.logPath,
        tty: record.config.tty ?? false,
        stopSignal: signalNumber(record.config.stopSignal),
        onStarted,
      };
      entry.run = await runContainer(spec, { ...ports, pipeFolder: store.pipeFolder });
    } catch (error) {
      const message = errorMessage(error);
      change(entry, {
        state: 'CONTAINER_EXITED',
        starting: false,
        exitCode: 128,
        reason: 'StartError',
        message,
        finishedAt: ports.stamp(),
      });
      ports.onEvent('CONTAINER_STOPPED_EVENT', entry.record);
      throw error;
    }
    ports.onEvent('CONTAINER_STARTED_EVENT', entry.record);
    entry.finished = finish(entry, entry.run);
  };

  const finish = async (entry: Entry, run: ContainerRun) => {
    const { exitCode, finishedAt } = await run.ended;
    if (released) return;
    const { process: _process, ...record } = entry.record;
    entry.record = record;
    change(entry, { state: 'CONTAINER_EXITED', exitCode, finishedAt, reason: exitCode === 0 ? 'Completed' : 'Error' });
    delete entry.run;
    ports.onEvent('CONTAINER_STOPPED_EVENT', entry.record);
  };

  const stopEntry = async (entry: Entry, timeoutMs: number, signal?: AbortSignal) => {
    await entry.starting?.catch(() => {});
    await entry.run?.stop(timeoutMs, signal);
    await entry.finished;
  };

  const removeEntry = async (entry: Entry, signal?: AbortSignal) => {
    await stopEntry(entry, 0, signal);
    store.containers.remove(entry.record.id);
    entries.delete(entry.record.id);
    ports.onEvent('CONTAINER_DELETED_EVENT', entry.record);
  };

  const running = async (id: string): Promise<RunningContainer> => {
    const entry = need(id);
    await entry.starting?.catch(() => {});
    const { record, run } = entry;
    const requireRun = () => {
      if (entry.run === undefined || entry.run !== run) throw failedPrecondition(`container "${id}" is in ${entry.record.state} state`);
      return entry.run;
    };
    const launch = (command: string[]) => {
      requireRun();
      return { ...launchSpec(record), command, stdin: false };
    };
    return { record, run: requireRun(), launch, pipeFolder: store.pipeFolder };
  };

  /** Once for a pod: at its first container with limits, in its first sandbox. */
  const warnOfLimits = ({ id, config: { metadata } }: SandboxRecord, config: ContainerConfig) => {
    const limits = unenforcedLimits(config);
    const isFirst = (metadata?.attempt ?? 0) === 0 && (config.metadata?.attempt ?? 0) === 0;
    if (limits.length === 0 || !isFirst) return;
    const isOfPod = ({ record }: Entry) => record.podSandboxId === id && unenforcedLimits(record.config).length > 0;
    if ([...entries.values()].some(isOfPod)) return;
    logger.warn(
      `pod "${metadata?.namespace}/${metadata?.name}": the embedded runtime does not enforce limits (${limits.join(', ')}): ` +
        'its containers are plain processes; a CRI runtime enforces them',
    );
  };

  return {
    get: (id) => need(id).record,
    list: (filter) => [...entries.values()].map(({ record }) => record).filter((record) => matchesContainer(record, filter)),
    create(sandbox, config) {
      planContainer(config);
      const name = config.metadata?.name;
      const attempt = config.metadata?.attempt ?? 0;
      for (const { record } of entries.values()) {
        const { metadata } = record.config;
        if (record.podSandboxId !== sandbox.id || metadata?.name !== name || (metadata?.attempt ?? 0) !== attempt) continue;
        throw new NodeAgentError(
          processRuntimeErrorCodes.alreadyExists,
          `container "${name}" with attempt ${attempt} exists in sandbox ${sandbox.id}: ${record.id}`,
        );
      }
      for (const { containerPath, hostPath } of unseenMounts(config)) {
        logger.warn(
          `container "${name}" does not see its volume at ${containerPath}: the embedded runtime mounts nothing; it is at ${hostPath}`,
        );
      }
      warnOfLimits(sandbox, config);
      const record: ContainerRecord = {
        id: randomBytes(32).toString('hex'),
        podSandboxId: sandbox.id,
        config,
        logPath: logPathOf(config, sandbox.config),
        user: ports.resolveUser(config),
        state: 'CONTAINER_CREATED',
        starting: false,
        bootId: ports.bootId,
        createdAt: ports.stamp(),
        startedAt: 0n,
        finishedAt: 0n,
        exitCode: 0,
        reason: '',
        message: '',
      };
      store.containers.save(record);
      entries.set(record.id, { record });
      ports.onEvent('CONTAINER_CREATED_EVENT', record);
      return record;
    },
    async start(id, sandbox) {
      const entry = need(id);
      if (entry.starting || entry.record.state !== 'CONTAINER_CREATED') {
        throw failedPrecondition(`container "${id}" is in ${entry.starting ? 'starting' : entry.record.state} state`);
      }
      if (entry.removal) throw failedPrecondition(`container "${id}" is being removed`);
      const { state } = sandbox(entry.record.podSandboxId);
      if (state !== 'SANDBOX_READY') throw failedPrecondition(`sandbox "${entry.record.podSandboxId}" of container "${id}" is not running`);
      entry.starting = startEntry(entry).finally(() => {
        delete entry.starting;
      });
      await entry.starting;
    },
    async stop(id, timeoutMs, signal) {
      const entry = find(id);
      if (entry !== undefined) await stopEntry(entry, timeoutMs, signal);
    },
    async remove(id, signal) {
      const entry = find(id);
      if (entry === undefined) return;
      entry.removal ??= removeEntry(entry, signal).finally(() => {
        delete entry.removal;
      });
      await entry.removal;
    },
    async exec(id, command, timeoutMs, signal) {
      const { record, run, launch, pipeFolder } = await running(id);
      const spec = { containerId: record.id, launch: launch(command), pipeFolder, timeoutMs, ...(signal && { signal }) };
      return execSync(run, spec, ports.clock);
    },
    running,
    async reopenLog(id) {
      const { run } = await running(id);
      await run.reopenLog();
    },
    recordResources(id, resources) {
      const entry = need(id);
      const { config } = entry.record;
      change(entry, { config: { ...config, linux: { ...config.linux, resources: { ...config.linux?.resources, ...resources } } } });
    },
    runOf: (id) => entries.get(id)?.run,
    async release() {
      released = true;
      await Promise.allSettled([...entries.values()].map(({ starting }) => starting));
      for (const { run } of entries.values()) run?.release();
    },
  };
}
