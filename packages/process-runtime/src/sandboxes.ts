import { randomBytes } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { NodeAgentError } from '@nodeagent/api';
import type { ContainerEventType, PodSandboxConfig, PodSandboxFilter, PodSandboxMetadata } from '@nodeagent/cri-api';
import { checkLogDirectory } from './container-config.js';
import { invalidArgument, notFound, processRuntimeErrorCodes } from './errors.js';
import { findById } from './find-by-id.js';
import { matchesSandbox } from './record-filters.js';
import type { SandboxRecord } from './records.js';
import type { Store } from './store.js';

/** The sandboxes: records only, because plain processes share the machine's namespaces. Unique prefixes of ids are accepted. */
export interface Sandboxes {
  get(id: string): SandboxRecord;
  find(id: string): SandboxRecord | undefined;
  list(filter?: PodSandboxFilter): SandboxRecord[];
  run(config: PodSandboxConfig | undefined): SandboxRecord;
  /** Stop its containers first. */
  stop(id: string): void;
  /** Remove its containers first. */
  remove(id: string): void;
}

export interface SandboxPorts {
  store: Store;
  bootId: string;
  /** The IP address of all sandboxes. */
  address: string;
  stamp(): bigint;
  onEvent(type: ContainerEventType, record: SandboxRecord): void;
}

/** @param loaded - the records of the previous run; those of an earlier boot become not ready, so that a kubelet re-creates them */
export function createSandboxes(loaded: readonly SandboxRecord[], ports: SandboxPorts): Sandboxes {
  const { store } = ports;
  const records = new Map<string, SandboxRecord>();
  for (const record of loaded) records.set(record.id, record.bootId === ports.bootId ? record : { ...record, state: 'SANDBOX_NOTREADY' });

  const find = (id: string) => findById(records, id);

  return {
    find,
    get(id) {
      const record = find(id);
      if (record === undefined) throw notFound(`sandbox "${id}" not found`);
      return record;
    },
    list: (filter) => [...records.values()].filter((record) => matchesSandbox(record, filter)),
    run(config = {}) {
      const { metadata } = config;
      if (!metadata?.name) throw invalidArgument('config.metadata.name', 'must not be empty');
      if (config.logDirectory) checkLogDirectory(config.logDirectory);
      const name = sandboxName(metadata);
      for (const { id, config: other } of records.values()) {
        if (other.metadata === undefined || sandboxName(other.metadata) !== name) continue;
        throw new NodeAgentError(processRuntimeErrorCodes.alreadyExists, `sandbox ${name} exists: ${id}`);
      }
      const record: SandboxRecord = {
        id: randomBytes(32).toString('hex'),
        config,
        state: 'SANDBOX_READY',
        createdAt: ports.stamp(),
        ip: ports.address,
        bootId: ports.bootId,
      };
      store.sandboxes.save(record);
      records.set(record.id, record);
      ports.onEvent('CONTAINER_CREATED_EVENT', record);
      ports.onEvent('CONTAINER_STARTED_EVENT', record);
      return record;
    },
    stop(id) {
      const record = records.get(id);
      if (record?.state !== 'SANDBOX_READY') return;
      const stopped: SandboxRecord = { ...record, state: 'SANDBOX_NOTREADY' };
      records.set(record.id, stopped);
      store.sandboxes.save(stopped);
      ports.onEvent('CONTAINER_STOPPED_EVENT', stopped);
    },
    remove(id) {
      const record = records.get(id);
      if (record === undefined) return;
      store.sandboxes.remove(record.id);
      records.delete(record.id);
      ports.onEvent('CONTAINER_DELETED_EVENT', record);
    },
  };
}

const sandboxName = ({ namespace, name, uid, attempt = 0 }: Partial<PodSandboxMetadata>) => `${namespace}/${name}/${uid}/${attempt}`;

/** The machine's primary address: the first IPv4 address that is not a loopback one, else the first such IPv6 one, else 127.0.0.1. */
export function primaryAddress(): string {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  const best = outside.find(({ family }) => family === 'IPv4') ?? outside[0];
  return best?.address ?? '127.0.0.1';
}
