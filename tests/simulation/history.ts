import { type Pod, podUid } from '@nodeagent/api';
import type { ContainerConfig } from '@nodeagent/cri-api';
import type { MemoryContainer, RecordedCall } from '@nodeagent/memory-runtime';
import type { AuditEvent } from '@nodeagent/test-api-server';

/** A start that the runtime carried out. */
export interface Start {
  id: string;
  uid: string;
  sandbox: string;
  name: string;
  attempt: number;
  image: string;
  /** What it may use, as text. */
  resources: string;
  /** Wall clock, in milliseconds, as the runtime's own times. */
  at: number;
  /** Which agent's life it was in, if it is sure; back-offs are forgotten with an agent, and a jump of the clock shifts them. */
  era: number | undefined;
}

/** A status that the API server accepted. */
export interface Write {
  atMs: number;
  before: Pod | undefined;
  after: Pod;
}

/** A pod that was evicted while the one before it still ran. */
export interface Eviction {
  atMs: number;
  uid: string;
  /** The one before, and whether containers of it still ran. */
  previous: { atMs: number; uid: string; running: boolean } | undefined;
}

/** What has happened since the last look, and what is remembered of before. */
export interface History {
  starts: Start[];
  writes: Write[];
  evictions: Eviction[];
  /** All pods that the API server has, as it last said. */
  readonly pods: ReadonlyMap<string, Pod>;
  /** When each pod was asked to go, and with which grace; those that are gone too. */
  readonly leaving: ReadonlyMap<string, Leaving>;
  /** Every container that was seen, its end too: by id. */
  readonly containers: ReadonlyMap<string, MemoryContainer>;
  /** All that were seen of one container of a pod. */
  runsOf(uid: string, name: string): Iterable<MemoryContainer>;
  /** Containers that an agent stopped, by id. */
  readonly stopped: ReadonlySet<string>;
  /** UIDs of pods that an agent began to evict. */
  readonly evicted: ReadonlySet<string>;
  /** UIDs of pods that an agent began to evict which has ended since. */
  readonly forgotten: ReadonlySet<string>;
}

export interface Leaving {
  atMs: number;
  graceMs: number;
}

type Made = Omit<Start, 'id' | 'at' | 'era'>;

interface Call {
  podSandboxId?: string;
  containerId?: string;
  config?: ContainerConfig;
}

const millis = (nanoseconds: bigint): number => Number(nanoseconds / 1_000_000n);

function made(uid: string, sandbox: string, { metadata, image, linux }: ContainerConfig): Made {
  const { name = '', attempt = 0 } = metadata ?? {};
  const resources = JSON.stringify(linux?.resources, (_, value) => (typeof value === 'bigint' ? `${value}` : value)) ?? '';
  return { uid, sandbox, name, attempt, image: image?.userSpecifiedImage || (image?.image ?? ''), resources };
}

/** Gathers the history of a node. */
export class HistoryBook implements History {
  starts: Start[] = [];
  writes: Write[] = [];
  evictions: Eviction[] = [];
  readonly pods = new Map<string, Pod>();
  readonly leaving = new Map<string, Leaving>();
  readonly containers = new Map<string, MemoryContainer>();
  /** By UID/name. */
  readonly #runs = new Map<string, Map<string, MemoryContainer>>();
  readonly stopped = new Set<string>();
  readonly forgotten = new Set<string>();
  readonly evicted = new Set<string>();
  era = 0;
  #eraSeen = 0;
  readonly #started = new Set<string>();
  readonly #made = new Map<string, Made>();

  /** A write of an agent that was answered. */
  audited({ verb, objectRef, responseStatus, requestObject, responseObject }: AuditEvent, nowMs: number): void {
    if (objectRef.resource !== 'pods' || responseStatus.code >= 300) return;
    const { metadata } = (responseObject ?? {}) as Pod;
    const known = [...this.pods.values()].find((pod) => pod.metadata?.name === objectRef.name);
    const pod = metadata?.uid === undefined ? known : (responseObject as Pod);
    if (pod === undefined) return;
    this.wrote(pod, nowMs, verb === 'delete' && (requestObject as { gracePeriodSeconds?: number } | undefined)?.gracePeriodSeconds === 0);
  }

  /** The API server has this pod now. */
  wrote(pod: Pod, nowMs: number, gone = false): void {
    const uid = podUid(pod);
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata ?? {};
    const before = this.pods.get(uid);
    if (gone || deletionTimestamp !== undefined) this.leaves(uid, nowMs, gone ? 0 : deletionGracePeriodSeconds * 1000);
    if (gone) this.pods.delete(uid);
    else this.pods.set(uid, pod);
    this.writes.push({ atMs: nowMs, before, after: pod });
  }

  /** A pod shall go; what was asked for before counts too. */
  leaves(uid: string, nowMs: number, graceMs: number): void {
    const before = this.leaving.get(uid);
    if (before === undefined || nowMs + graceMs < before.atMs + before.graceMs) this.leaving.set(uid, { atMs: nowMs, graceMs });
  }

  evicts(eviction: Eviction): void {
    this.evictions.push(eviction);
    this.evicted.add(eviction.uid);
  }

  /** A new agent begins. */
  begins(): void {
    this.era++;
    for (const uid of this.evicted) this.forgotten.add(uid);
  }

  /** What there is now, and the calls since the last time. */
  saw(containers: readonly MemoryContainer[], calls: readonly RecordedCall[]): void {
    for (const container of containers) {
      const { id, podUid: uid, name, startedAt, sandboxId, config } = container;
      this.containers.set(id, container);
      const key = `${uid}/${name}`;
      this.#runs.set(key, (this.#runs.get(key) ?? new Map<string, MemoryContainer>()).set(id, container));
      if (startedAt > 0n && !this.#started.has(id)) this.#startedAt(id, millis(startedAt), made(uid, sandboxId, config));
    }
    // A container that has come and gone in between was only in the calls.
    for (const { method, request, response, error, endedAt } of calls) {
      const { podSandboxId = '', containerId = '', config = {} } = request as Call;
      const id = (response as { containerId?: string } | undefined)?.containerId;
      if (method === 'createContainer' && id !== undefined)
        this.#made.set(id, made(config.labels?.['io.kubernetes.pod.uid'] ?? '', podSandboxId, config));
      if (method === 'stopContainer') this.stopped.add(containerId);
      const known = this.#made.get(containerId);
      const isNew = !this.#started.has(containerId);
      if (method === 'startContainer' && error === undefined && endedAt !== undefined && known && isNew)
        this.#startedAt(containerId, endedAt, known);
    }
    this.#eraSeen = this.era;
  }

  runsOf(uid: string, name: string): Iterable<MemoryContainer> {
    return this.#runs.get(`${uid}/${name}`)?.values() ?? [];
  }

  #startedAt(id: string, at: number, of: Made): void {
    this.#started.add(id);
    this.starts.push({ id, ...of, at, era: this.era === this.#eraSeen ? this.era : undefined });
  }

  forget(): void {
    this.starts = [];
    this.writes = [];
    this.evictions = [];
  }
}
