import { type Pod, podUid } from '@nodeagent/api';
import type { AuditEvent, MemoryContainer, RecordedCall } from '@nodeagent/testing';

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
  /** Which agent's life it was in; back-offs are forgotten with an agent, and by a jump of the clock. */
  era: number;
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
}

export interface Leaving {
  atMs: number;
  graceMs: number;
}

interface Call {
  podSandboxId?: string;
  containerId?: string;
  config?: {
    metadata?: { name?: string; attempt?: number };
    labels?: Record<string, string>;
    image?: { userSpecifiedImage?: string; image?: string };
    linux?: { resources?: unknown };
  };
}

/** Gathers the history of a node. */
export class HistoryBook implements History {
  starts: Start[] = [];
  writes: Write[] = [];
  evictions: Eviction[] = [];
  readonly pods = new Map<string, Pod>();
  readonly leaving = new Map<string, Leaving>();
  readonly containers = new Map<string, MemoryContainer>();
  era = 0;
  readonly #made = new Map<string, Omit<Start, 'id' | 'at' | 'era'>>();

  /** A call that was answered. */
  called({ method, request, response, error, endedAt = 0 }: RecordedCall): void {
    const { podSandboxId = '', containerId = '', config } = request as Call;
    if (method === 'createContainer') {
      const id = (response as { containerId?: string } | undefined)?.containerId;
      if (id === undefined) return;
      const { name = '', attempt = 0 } = config?.metadata ?? {};
      const uid = config?.labels?.['io.kubernetes.pod.uid'] ?? '';
      const image = config?.image?.userSpecifiedImage || (config?.image?.image ?? '');
      const resources = JSON.stringify(config?.linux?.resources, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
      this.#made.set(id, { uid, sandbox: podSandboxId, name, attempt, image, resources });
    }
    if (method !== 'startContainer' || error !== undefined) return;
    const made = this.#made.get(containerId);
    if (made) this.starts.push({ id: containerId, ...made, at: endedAt, era: this.era });
  }

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

  saw(containers: readonly MemoryContainer[]): void {
    for (const container of containers) this.containers.set(container.id, container);
  }

  forget(): void {
    this.starts = [];
    this.writes = [];
    this.evictions = [];
  }
}
