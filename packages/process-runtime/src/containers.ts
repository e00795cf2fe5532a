import { randomBytes } from 'node:crypto';
import { NodeAgentError } from '@nodeagent/api';
import type { ContainerConfig, ContainerFilter, ExecSyncResponse, LinuxContainerResources } from '@nodeagent/cri-api';
import { type Container, type ContainerPorts, createContainer, type RunningContainer } from './container.js';
import { logPathOf, planContainer, unseenMounts } from './container-config.js';
import type { ContainerRun } from './container-run.js';
import { failedPrecondition, notFound, processRuntimeErrorCodes } from './errors.js';
import { execSync } from './exec.js';
import { findById } from './find-by-id.js';
import { matchesContainer } from './record-filters.js';
import type { ContainerRecord, SandboxRecord } from './records.js';
import { unenforcedLimits } from './unenforced-limits.js';
import type { Identity } from './user.js';

/** Ports of the containers. */
export interface ContainersPorts extends ContainerPorts {
  /** The user of a container; throws if the runtime cannot use it. */
  resolveUser(config: ContainerConfig): Identity;
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

export function createContainers(loaded: readonly ContainerRecord[], ports: ContainersPorts): Containers {
  return new Table(loaded, ports);
}

class Table implements Containers {
  readonly #ports: ContainersPorts;
  readonly #containers: Map<string, Container>;

  constructor(loaded: readonly ContainerRecord[], ports: ContainersPorts) {
    this.#ports = ports;
    this.#containers = new Map(loaded.map((record) => [record.id, createContainer(record, ports)]));
  }

  get(id: string): ContainerRecord {
    return this.#need(id).record;
  }

  list(filter?: ContainerFilter): ContainerRecord[] {
    return [...this.#containers.values()].map(({ record }) => record).filter((record) => matchesContainer(record, filter));
  }

  create(sandbox: SandboxRecord, config: ContainerConfig): ContainerRecord {
    planContainer(config);
    this.#requireNew(sandbox, config);
    this.#warnOfMounts(config);
    this.#warnOfLimits(sandbox, config);
    const { resolveUser, bootId, stamp, store, onEvent } = this.#ports;
    const record: ContainerRecord = {
      id: randomBytes(32).toString('hex'),
      podSandboxId: sandbox.id,
      config,
      logPath: logPathOf(config, sandbox.config),
      user: resolveUser(config),
      state: 'CONTAINER_CREATED',
      starting: false,
      bootId,
      createdAt: stamp(),
      startedAt: 0n,
      finishedAt: 0n,
      exitCode: 0,
      reason: '',
      message: '',
    };
    store.containers.save(record);
    this.#containers.set(record.id, createContainer(record, this.#ports));
    onEvent('CONTAINER_CREATED_EVENT', record);
    return record;
  }

  async start(id: string, sandbox: (id: string) => SandboxRecord): Promise<void> {
    const container = this.#need(id);
    await container.start(() => {
      const { podSandboxId } = container.record;
      const isReady = sandbox(podSandboxId).state === 'SANDBOX_READY';
      if (!isReady) throw failedPrecondition(`sandbox "${podSandboxId}" of container "${id}" is not running`);
    });
  }

  async stop(id: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await this.#find(id)?.stop(timeoutMs, signal);
  }

  async remove(id: string, signal?: AbortSignal): Promise<void> {
    const container = this.#find(id);
    await container?.remove(() => this.#containers.delete(container.record.id), signal);
  }

  async exec(id: string, command: string[], timeoutMs: number, signal?: AbortSignal): Promise<ExecSyncResponse> {
    const { record, run, launch, pipeFolder } = await this.running(id);
    const spec = { containerId: record.id, launch: launch(command), pipeFolder, timeoutMs, ...(signal && { signal }) };
    return execSync(run, spec, this.#ports.clock);
  }

  async running(id: string): Promise<RunningContainer> {
    return this.#need(id).running();
  }

  async reopenLog(id: string): Promise<void> {
    const { run } = await this.running(id);
    await run.reopenLog();
  }

  recordResources(id: string, resources: LinuxContainerResources): void {
    const container = this.#need(id);
    const { config } = container.record;
    container.setConfig({ ...config, linux: { ...config.linux, resources: { ...config.linux?.resources, ...resources } } });
  }

  runOf(id: string): ContainerRun | undefined {
    return this.#containers.get(id)?.run;
  }

  async release(): Promise<void> {
    await Promise.all([...this.#containers.values()].map((container) => container.release()));
  }

  #find(id: string): Container | undefined {
    return findById(this.#containers, id);
  }

  #need(id: string): Container {
    const container = this.#find(id);
    if (container === undefined) throw notFound(`container "${id}" not found`);
    return container;
  }

  #requireNew(sandbox: SandboxRecord, { metadata }: ContainerConfig): void {
    const attempt = metadata?.attempt ?? 0;
    for (const { record } of this.#containers.values()) {
      const { metadata: other } = record.config;
      if (record.podSandboxId !== sandbox.id || other?.name !== metadata?.name || (other?.attempt ?? 0) !== attempt) continue;
      throw new NodeAgentError(
        processRuntimeErrorCodes.alreadyExists,
        `container "${metadata?.name}" with attempt ${attempt} exists in sandbox ${sandbox.id}: ${record.id}`,
      );
    }
  }

  #warnOfMounts(config: ContainerConfig): void {
    for (const { containerPath, hostPath } of unseenMounts(config)) {
      this.#ports.logger.warn(
        `container "${config.metadata?.name}" does not see its volume at ${containerPath}: the embedded runtime mounts nothing; it is at ${hostPath}`,
      );
    }
  }

  /** Once for a pod: at its first container with limits, in its first sandbox. */
  #warnOfLimits({ id, config: { metadata } }: SandboxRecord, config: ContainerConfig): void {
    const limits = unenforcedLimits(config);
    const isFirst = (metadata?.attempt ?? 0) === 0 && (config.metadata?.attempt ?? 0) === 0;
    if (limits.length === 0 || !isFirst) return;
    const isOfPod = ({ record }: Container) => record.podSandboxId === id && unenforcedLimits(record.config).length > 0;
    if ([...this.#containers.values()].some(isOfPod)) return;
    this.#ports.logger.warn(
      `pod "${metadata?.namespace}/${metadata?.name}": the embedded runtime does not enforce limits (${limits.join(', ')}): ` +
        'its containers are plain processes; a CRI runtime enforces them',
    );
  }
}
