import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settlesWithin } from '@nodeagent/api';
import type { ContainerConfig, ContainerFilter, LinuxContainerResources, PodSandboxConfig } from '@nodeagent/cri-api';
import { findById, logPathOf, matchesContainer } from '@nodeagent/process-runtime/cri';
import { monitorFiles } from '../conmon/conmon-arguments.js';
import type { MonitorControl } from '../conmon/control.js';
import { endMonitor } from '../conmon/end-monitor.js';
import type { MonitorCgroup } from '../conmon/monitor-cgroup.js';
import { startMonitor } from '../conmon/start-monitor.js';
import { alreadyExists, creationError, failedPrecondition, invalidArgument, notFound, unknownError } from '../errors.js';
import type { OciProgram } from '../runtime/oci-program.js';
import type { SandboxPaths } from '../sandboxes/sandbox-environment.js';
import { userNamespaceIds } from '../spec/namespaces.js';
import type { OciResources } from '../spec/oci-spec.js';
import { findProcess } from '../state/process-ref.js';
import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import { removeFolder } from '../state/remove-folder.js';
import { type Container, type ContainerPorts, createContainer, stateOf } from './container.js';
import { mountImageVolumes } from './image-volumes.js';
import { checkRotatedLog, prepareLog } from './log-file.js';
import { restoreNullDevice } from './null-device.js';
import type { PlannedContainer, PlanRequest } from './plan-container.js';
import type { RootFileSystems } from './root-file-systems.js';

export interface ContainersPorts extends ContainerPorts {
  /** Path of conmon. */
  conmon: string;
  control: MonitorControl;
  bootId: string;
  /** The cgroup of the conmon processes of a pod. */
  monitorCgroup(sandbox: PodSandboxConfig): MonitorCgroup;
  rootFileSystems: RootFileSystems;
  /** Removes the CPU quota of a container by its cgroup. */
  removeCpuQuota(record: ContainerRecord): Promise<void>;
  sandboxPaths(sandbox: SandboxRecord): Promise<SandboxPaths>;
  /** The config.json and the rest that a container needs. */
  plan(request: PlanRequest): Promise<PlannedContainer>;
}

/** The containers of all sandboxes. Unique prefixes of IDs are accepted. */
export interface Containers {
  /** Rejects with `CRI_NOT_FOUND`. */
  get(id: string): ContainerRecord;
  list(filter?: ContainerFilter): ContainerRecord[];
  /** If it fails nothing is left. */
  create(sandbox: SandboxRecord, config: ContainerConfig): Promise<ContainerRecord>;
  start(id: string, sandbox: (id: string) => SandboxRecord): Promise<void>;
  /** Does nothing if the container is unknown or has exited. */
  stop(id: string, timeoutMs: number, signal?: AbortSignal): Promise<void>;
  /** Kills the container first if it runs. Does nothing if it is unknown. */
  remove(id: string): Promise<void>;
  /** A running container. Rejects with CRI_FAILED_PRECONDITION if it does not run. */
  running(id: string): ContainerRecord;
  reopenLog(id: string): Promise<void>;
  /** The folder of a container, and the log that conmon writes. */
  filesOf(record: ContainerRecord): { bundle: string; logPath: string };
  /** Resolves when the container has exited. */
  exited(id: string): Promise<void>;
  /** @param resources - those of the OCI runtime specification for the request */
  update(id: string, request: LinuxContainerResources, resources: OciResources): Promise<void>;
  /**
   * Adopts the exits of one container or of all: conmon has written an exit code, or was killed. Does not wait longer than 2 s for an OCI runtime
   * that hangs: until it ends, its container counts as running.
   */
  sync(id?: string): Promise<void>;
}

/** Of the output that is kept for clients that attach to a container without a log. */
const maxOutputBytes = 16 << 20;

export function createContainers(loaded: readonly ContainerRecord[], ports: ContainersPorts): Containers {
  return new Table(loaded, ports);
}

class Table implements Containers {
  readonly #ports: ContainersPorts;
  readonly #containers: Map<string, Container>;
  /** The names of containers that are being created. */
  readonly #creating = new Set<string>();

  constructor(loaded: readonly ContainerRecord[], ports: ContainersPorts) {
    this.#ports = ports;
    this.#containers = new Map(loaded.map((record) => [record.id, createContainer(record, ports)]));
  }

  get(id: string): ContainerRecord {
    return this.#need(id).record;
  }

  list(filter?: ContainerFilter): ContainerRecord[] {
    const records = [...this.#containers.values()].map(({ record }) => record);
    return records.filter((record) => matchesContainer({ ...record, state: stateOf(record) }, filter));
  }

  async create(sandbox: SandboxRecord, config: ContainerConfig): Promise<ContainerRecord> {
    const { metadata, image = {} } = config;
    if (!metadata?.name) throw invalidArgument('config.metadata.name', 'must not be empty');
    const name = nameOf(sandbox.id, config);
    this.#requireNew(name, config);
    this.#creating.add(name);
    try {
      const found = await this.#ports.rootFileSystems.find(image);
      if (found === undefined) throw notFound(`image "${image.userSpecifiedImage || image.image}" not found`);
      const record: ContainerRecord = {
        id: randomBytes(32).toString('hex'),
        podSandboxId: sandbox.id,
        runtimeHandler: sandbox.runtimeHandler ?? '',
        config,
        imageId: found.id,
        imageRef: found.reference,
        logPath: logPathOf(config, sandbox.config),
        stopSignal: 15,
        user: { uid: 0, gid: 0, additionalGids: [] },
        step: 'creating',
        bootId: this.#ports.bootId,
        createdAt: this.#ports.stamp(),
        startedAt: 0n,
        finishedAt: 0n,
        exitCode: 0,
        reason: '',
        message: '',
      };
      return await this.#createFrom(record, sandbox, found);
    } finally {
      this.#creating.delete(name);
    }
  }

  async #createFrom(record: ContainerRecord, sandbox: SandboxRecord, image: PlanRequest['image']): Promise<ContainerRecord> {
    const { folder, rootFileSystems, plan, sandboxPaths, handlers, onEvent, logger } = this.#ports;
    const { id, config, runtimeHandler } = record;
    const handler = handlers.get(runtimeHandler);
    const bundle = folder.pathOf(id);
    try {
      folder.save(record);
      const idMappings = userNamespaceIds(sandbox.config.linux?.securityContext?.namespaceOptions ?? {});
      const rootPath = await rootFileSystems.mount(image, id, idMappings);
      const target = config.linux?.securityContext?.namespaceOptions?.targetId;
      const targetPid = target ? this.running(target).process?.pid : undefined;
      const paths = await sandboxPaths(sandbox);
      const { sources: volumes, mounts } = await mountImageVolumes(id, config, rootFileSystems, idMappings);
      const found = { id, bundle, config, sandboxId: sandbox.id, sandbox: sandbox.config, paths, image, rootPath, volumes, targetPid };
      const request = { ...found, handler };
      const { spec, stopSignal, user } = await plan(request);
      writeFileSync(join(bundle, 'config.json'), JSON.stringify(spec), { mode: 0o600 });
      const processes = await this.#startMonitor(record, sandbox, handler.oci);
      const created: ContainerRecord = { ...record, config: { ...config, mounts }, step: 'created', stopSignal, user, ...processes };
      folder.save(created);
      this.#containers.set(id, createContainer(created, this.#ports));
      onEvent('CONTAINER_CREATED_EVENT', created);
      return created;
    } catch (error) {
      // What cannot be removed is removed by the next start of the runtime.
      await this.#discard(record).catch((err: unknown) => logger.error({ containerID: id, err }, 'cannot remove a container that failed'));
      throw creationError(`container "${config.metadata?.name}"`, error);
    }
  }

  async #discard(record: ContainerRecord): Promise<void> {
    const { handlers, rootFileSystems, folder, exitDir, run, clock, removeCgroup } = this.#ports;
    await endMonitor(record.id, clock);
    await handlers.of(record.runtimeHandler).oci.remove(record.id);
    await removeCgroup(record);
    await rootFileSystems.remove(record);
    await removeFolder(folder.pathOf(record.id), run);
    rmSync(join(exitDir, record.id), { force: true });
  }

  /** What the OCI runtime refuses, such as a missing program, is an error of the start: only then a kubelet restarts or fails the pod by its policy. */
  async #startMonitor(
    record: ContainerRecord,
    sandbox: SandboxRecord,
    oci: OciProgram,
  ): Promise<Pick<ContainerRecord, 'process' | 'monitor' | 'refusal'>> {
    const { exitDir, conmon, clock, monitorCgroup } = this.#ports;
    const { id, config } = record;
    const { bundle, logPath } = this.filesOf(record);
    prepareLog(logPath);
    const request = {
      containerId: id,
      runtime: oci.path,
      runtimeRoot: oci.root,
      bundle,
      exitDir,
      logPath,
      ...(record.logPath === '' && { maxLogBytes: maxOutputBytes }),
      terminal: config.tty ?? false,
      stdin: config.stdin ?? false,
      leaveStdinOpen: !config.stdinOnce,
      systemdCgroup: oci.systemdCgroup,
    };
    const starting = startMonitor(request, { conmon, clock, cgroup: monitorCgroup(sandbox.config) });
    const created = await starting.finally(restoreNullDevice);
    if ('refusal' in created) {
      await oci.remove(id);
      return created;
    }
    const [process, monitor] = [findProcess(created.pid), findProcess(created.monitorPid)];
    if (process === undefined || monitor === undefined) throw unknownError(`container "${id}" has exited before its start`);
    return { process, monitor };
  }

  async start(id: string, sandbox: (id: string) => SandboxRecord): Promise<void> {
    const container = this.#need(id);
    await container.start(() => {
      const { podSandboxId } = container.record;
      if (sandbox(podSandboxId).state === 'SANDBOX_READY') return;
      throw failedPrecondition(`sandbox "${podSandboxId}" of container "${id}" is not running`);
    });
  }

  async stop(id: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    await this.#find(id)?.stop(timeoutMs, signal);
  }

  async remove(id: string): Promise<void> {
    const container = this.#find(id);
    await container?.remove(() => this.#containers.delete(container.record.id));
  }

  running(id: string): ContainerRecord {
    const { record, state } = this.#need(id);
    if (state !== 'CONTAINER_RUNNING') throw failedPrecondition(`container "${record.id}" is in ${state} state`);
    return record;
  }

  async reopenLog(id: string): Promise<void> {
    const { bundle, logPath } = this.filesOf(this.running(id));
    checkRotatedLog(logPath);
    await this.#ports.control.reopenLog(bundle, logPath);
    // Gives the new file the mode of a log.
    prepareLog(logPath);
  }

  filesOf({ id, logPath }: ContainerRecord) {
    const bundle = this.#ports.folder.pathOf(id);
    return { bundle, logPath: logPath || monitorFiles(bundle).output };
  }

  exited(id: string): Promise<void> {
    return this.#need(id).exited;
  }

  async update(id: string, request: LinuxContainerResources, resources: OciResources): Promise<void> {
    const container = this.#need(id);
    const { record, state } = container;
    if (state === 'CONTAINER_EXITED') throw failedPrecondition(`container "${record.id}" is in ${state} state`);
    const file = join(this.#ports.folder.pathOf(record.id), 'resources.json');
    const { oci, removesCpuQuota } = this.#ports.handlers.of(record.runtimeHandler);
    const isQuotaLeft = !removesCpuQuota && resources.cpu?.quota === -1;
    writeFileSync(file, JSON.stringify(isQuotaLeft ? withoutQuota(resources) : resources), { mode: 0o600 });
    await oci.update(record.id, file);
    if (isQuotaLeft) await this.#ports.removeCpuQuota(record);
    const { config } = container.record;
    container.setConfig({ ...config, linux: { ...config.linux, resources: { ...config.linux?.resources, ...request } } });
  }

  async sync(id?: string): Promise<void> {
    const containers = id === undefined ? [...this.#containers.values()] : [this.#find(id)];
    const synced = Promise.all(containers.map((container) => container?.sync()));
    await settlesWithin(synced, { clock: this.#ports.clock, timeoutMs: syncWaitMs });
  }

  #find(id: string): Container | undefined {
    return findById(this.#containers, id);
  }

  #need(id: string): Container {
    const container = this.#find(id);
    if (container === undefined) throw notFound(`container "${id}" not found`);
    return container;
  }

  #requireNew(name: string, { metadata }: ContainerConfig): void {
    const existing = [...this.#containers.values()].find(({ record }) => nameOf(record.podSandboxId, record.config) === name);
    if (existing === undefined && !this.#creating.has(name)) return;
    throw alreadyExists(`container "${metadata?.name}" with attempt ${metadata?.attempt ?? 0} exists in its sandbox`);
  }
}

const syncWaitMs = 2_000;

function withoutQuota({ cpu, ...others }: OciResources): OciResources {
  const { quota: _quota, ...limits } = cpu ?? {};
  return { ...others, cpu: limits };
}

const nameOf = (sandboxId: string, { metadata }: ContainerConfig) => `${sandboxId}/${metadata?.name}/${metadata?.attempt ?? 0}`;
