import { randomBytes } from 'node:crypto';
import type { Logger } from '@nodeagent/api';
import type { PodNetworks } from '@nodeagent/cni';
import type { ContainerEventType, PodSandboxConfig, PodSandboxFilter, PodSandboxMetadata, RunPodSandboxRequest } from '@nodeagent/cri-api';
import { findById, matchesSandbox } from '@nodeagent/process-runtime/cri';
import type { MonitorCgroup } from '../conmon/monitor-cgroup.js';
import { alreadyExists, creationError, notFound } from '../errors.js';
import type { RuntimeHandlers } from '../runtime/handlers.js';
import { checkPodConfig } from '../spec/pod-config.js';
import { podNamespaces } from '../spec/pod-namespaces.js';
import { isRunning } from '../state/process-ref.js';
import type { RecordFolder } from '../state/record-folder.js';
import type { SandboxRecord } from '../state/records.js';
import type { RemoveCgroup } from '../state/remove-cgroup.js';
import { removeFolder } from '../state/remove-folder.js';
import { createSandboxEnvironment, type SandboxEnvironmentPorts, type SandboxPaths, sandboxPaths } from './sandbox-environment.js';

export interface SandboxesPorts extends Omit<SandboxEnvironmentPorts, 'oci' | 'machine'> {
  handlers: RuntimeHandlers;
  networks: PodNetworks;
  folder: RecordFolder<SandboxRecord>;
  bootId: string;
  logger: Logger;
  /** The cgroup of the conmon processes of a pod. */
  monitorCgroup(sandbox: PodSandboxConfig): MonitorCgroup;
  removeCgroup: RemoveCgroup;
  stamp(): bigint;
  onEvent(type: ContainerEventType, record: SandboxRecord): void;
}

/** The sandboxes: namespaces, files and networks of pods, without a process. Unique prefixes of IDs are accepted. */
export interface Sandboxes {
  /** Rejects with `CRI_NOT_FOUND`. */
  get(id: string): SandboxRecord;
  find(id: string): SandboxRecord | undefined;
  list(filter?: PodSandboxFilter): SandboxRecord[];
  /** If it fails nothing is left. */
  run(request: Pick<RunPodSandboxRequest, 'config' | 'runtimeHandler'>, signal?: AbortSignal): Promise<SandboxRecord>;
  /** From now on it is not ready, so that no container starts in it. Idempotent. */
  setNotReady(id: string): void;
  /** Sets sandboxes to not ready whose shared process namespace has ended with its first process; all of them without an ID. */
  sync(id?: string): void;
  /** Detaches it from its network; stop its containers first. Idempotent. */
  stop(id: string): Promise<void>;
  /** Remove its containers first. Idempotent. */
  remove(id: string): Promise<void>;
  /** What the sandbox gives to a container. */
  paths(record: SandboxRecord): Promise<SandboxPaths>;
}

/** @param loaded - the complete records of the previous run */
export function createSandboxes(loaded: readonly SandboxRecord[], ports: SandboxesPorts): Sandboxes {
  return new Table(loaded, ports);
}

class Table implements Sandboxes {
  readonly #ports: SandboxesPorts;
  readonly #records: Map<string, SandboxRecord>;
  /** The names of sandboxes that are being created: a second one is refused meanwhile. */
  readonly #creating = new Map<string, string>();
  /** Sandboxes that this run has stopped, which need no program once more when they are removed. */
  readonly #released = new Set<string>();
  /** Incomplete sandboxes that could not be removed. */
  readonly #left = new Map<string, SandboxRecord>();

  constructor(loaded: readonly SandboxRecord[], ports: SandboxesPorts) {
    this.#ports = ports;
    this.#records = new Map(loaded.map((record) => [record.id, record]));
  }

  get(id: string): SandboxRecord {
    const record = this.find(id);
    if (record === undefined) throw notFound(`sandbox "${id}" not found`);
    return record;
  }

  find(id: string): SandboxRecord | undefined {
    return findById(this.#records, id);
  }

  list(filter?: PodSandboxFilter): SandboxRecord[] {
    return [...this.#records.values()].filter((record) => matchesSandbox(record, filter));
  }

  async run({ config = {}, runtimeHandler = '' }: RunPodSandboxRequest, signal?: AbortSignal): Promise<SandboxRecord> {
    const handler = this.#ports.handlers.get(runtimeHandler);
    checkPodConfig(config);
    // A sandbox with options that are invalid could not be removed.
    podNamespaces(config, handler.machine.hostname);
    const name = sandboxName(config.metadata ?? {});
    this.#requireNew(name);
    const { folder, bootId, stamp, onEvent } = this.#ports;
    const id = randomBytes(32).toString('hex');
    const start = { isComplete: false, createdAt: stamp(), bootId, ips: [] };
    const program = { path: handler.oci.path, root: handler.oci.root };
    const incomplete: SandboxRecord = { id, config, runtimeHandler, program, state: 'SANDBOX_NOTREADY', ...start };
    this.#creating.set(name, id);
    try {
      await this.#retryRollBacks(config.metadata?.uid);
      folder.save(incomplete);
      const created = await createSandboxEnvironment(folder.pathOf(id), id, config, { ...this.#ports, ...handler }, signal);
      const record: SandboxRecord = { ...incomplete, state: 'SANDBOX_READY', isComplete: true, ...created };
      folder.save(record);
      this.#records.set(id, record);
      onEvent('CONTAINER_CREATED_EVENT', record);
      onEvent('CONTAINER_STARTED_EVENT', record);
      return record;
    } catch (error) {
      await this.#rollBack(incomplete);
      throw creationError(`sandbox ${name}`, error);
    } finally {
      this.#creating.delete(name);
    }
  }

  /** Removes what an incomplete sandbox has; what fails is left for the next attempt of its pod, or the next start of the runtime. */
  async #rollBack(record: SandboxRecord): Promise<void> {
    const { id } = record;
    try {
      await this.#release(record);
      await removeFolder(this.#ports.folder.pathOf(id), this.#ports.run);
      this.#left.delete(id);
      this.#released.delete(id);
    } catch (err) {
      this.#left.set(id, record);
      this.#ports.logger.error({ podSandboxID: id, err }, 'cannot remove a sandbox that failed, to be retried');
    }
  }

  async #retryRollBacks(uid: string | undefined): Promise<void> {
    const ofPod = [...this.#left.values()].filter(({ config }) => config.metadata?.uid === uid);
    await Promise.all(ofPod.map((record) => this.#rollBack(record)));
  }

  setNotReady(id: string): void {
    const record = this.#records.get(id);
    if (record?.state !== 'SANDBOX_READY') return;
    const stopped: SandboxRecord = { ...record, state: 'SANDBOX_NOTREADY' };
    this.#records.set(id, stopped);
    try {
      this.#ports.folder.save(stopped);
    } catch (err) {
      // A full disk must not keep a sandbox from being stopped.
      this.#ports.logger.error({ podSandboxID: id, err }, 'cannot save the state of a sandbox');
    }
    this.#ports.onEvent('CONTAINER_STOPPED_EVENT', stopped);
  }

  sync(id?: string): void {
    for (const record of id === undefined ? this.#records.values() : [this.find(id)]) {
      if (record?.state !== 'SANDBOX_READY' || record.infra === undefined || isRunning(record.infra)) continue;
      this.#ports.logger.warn({ podSandboxID: record.id }, 'the first process of the shared process namespace was killed');
      this.setNotReady(record.id);
    }
  }

  async stop(id: string): Promise<void> {
    const record = this.#records.get(id);
    if (record !== undefined) await this.#release(record);
  }

  /** Ends its first process and its network. Idempotent. */
  async #release({ id, config, runtimeHandler }: SandboxRecord): Promise<void> {
    const { handlers, networks, removeCgroup } = this.#ports;
    const { oci, machine } = handlers.of(runtimeHandler);
    if (this.#released.has(id)) return;
    if (podNamespaces(config, machine.hostname).sharesProcesses) {
      await oci.remove(id);
      await removeCgroup(config, id);
    }
    await networks.tearDown(id);
    this.#released.add(id);
  }

  async remove(id: string): Promise<void> {
    const record = this.#records.get(id);
    if (record === undefined) return;
    await this.#release(record);
    await removeFolder(this.#ports.folder.pathOf(id), this.#ports.run);
    this.#ports.monitorCgroup(record.config).remove();
    this.#records.delete(id);
    this.#released.delete(id);
    this.#ports.onEvent('CONTAINER_DELETED_EVENT', record);
  }

  paths(record: SandboxRecord): Promise<SandboxPaths> {
    const { machine } = this.#ports.handlers.get(record.runtimeHandler);
    return sandboxPaths(this.#ports.folder.pathOf(record.id), record, { ...this.#ports, machine });
  }

  #requireNew(name: string): void {
    const existing =
      this.#creating.get(name) ??
      [...this.#records.values()].find(({ config }) => config.metadata && sandboxName(config.metadata) === name)?.id;
    if (existing !== undefined) throw alreadyExists(`sandbox ${name} exists: ${existing}`);
  }
}

const sandboxName = ({ namespace, name, uid, attempt = 0 }: Partial<PodSandboxMetadata>) => `${namespace}/${name}/${uid}/${attempt}`;
