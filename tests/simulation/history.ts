import type { Event, Pod } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import type { ContainerConfig } from '@nodeagent/cri-api';
import type { MemoryContainer, RecordedCall } from '@nodeagent/memory-runtime';
import type { AuditEvent } from '@nodeagent/test-api-server';
import type { Candidate } from './eviction-candidate.js';
import { eventBucket, type ImageRemoval, type WrittenEvents } from './recorded-changes.js';
import { livenessCommand, preStopCommand } from './workload.js';

/** A start that the runtime carried out. */
export interface Start {
  id: string;
  uid: string;
  sandbox: string;
  name: string;
  attempt: number;
  image: string;
  /** Its resources, as text. */
  resources: string;
  /** Wall clock, in milliseconds, like the runtime's times. */
  at: number;
  /** Number of the agent's run, if it is certain: back-offs are lost with an agent, and a jump of the clock shifts them. */
  era: number | undefined;
}

/** A status that the API server accepted. */
export interface Write {
  atMs: number;
  before: Pod | undefined;
  after: Pod;
}

/** An evicted pod, and the pod evicted before it. */
export interface Eviction {
  atMs: number;
  uid: string;
  message: string;
  /** What the agent could evict, by its last stats and by those before. */
  candidates: readonly (readonly Candidate[])[];
  /** The previous evicted pod, and whether containers of it still ran. */
  previous: { atMs: number; uid: string; running: boolean } | undefined;
}

/** Changes since the previous snapshot, and the state that they add to. */
export interface History {
  starts: Start[];
  writes: Write[];
  evictions: Eviction[];
  stops: Stop[];
  unmounts: Unmount[];
  imageRemovals: ImageRemoval[];
  /** What containers got before a checkpoint had it. */
  unsaved: string[];
  /** What began for a pod after the agent was to terminate it. */
  lateBeginnings: string[];
  /** Events that the current agent wrote, by their bucket in its event recorder. */
  readonly eventWrites: ReadonlyMap<string, WrittenEvents>;
  /** The shortest grace period of each pod's deletions, in seconds. */
  readonly graces: ReadonlyMap<string, number>;
  /** Liveness probes that failed one after the other since the agent's start, by container. */
  readonly livenessFailures: ReadonlyMap<string, number>;
  /** When the node's lease was last written. */
  readonly leaseAtMs: number;
  /** Number of the agent's run. */
  readonly era: number;
  /** All pods of the API server, in their last observed version. */
  readonly pods: ReadonlyMap<string, Pod>;
  /** Static pods, also removed ones, by UID. */
  readonly staticPods: ReadonlyMap<string, Pod>;
  /** The deletion time and grace period of each deleted pod, removed pods included. */
  readonly removals: ReadonlyMap<string, Removal>;
  /** Every observed container in its last state, by id. */
  readonly containers: ReadonlyMap<string, MemoryContainer>;
  /** All observed instances of one container of a pod. */
  runsOf(uid: string, name: string): Iterable<MemoryContainer>;
  /** Containers that an agent stopped, by id. */
  readonly stopped: ReadonlySet<string>;
  /** Containers that did not run yet when an agent stopped their sandbox, by id. A start in flight completes after that. */
  readonly createdAtStop: ReadonlySet<string>;
  /** UIDs of pods that an agent started to evict or to preempt. */
  readonly evicted: ReadonlySet<string>;
  /** UIDs of pods that the current agent started to evict or to preempt. */
  readonly evictedByAgent: ReadonlySet<string>;
  /** UIDs of pods that the current agent started to preempt. */
  readonly preemptedByAgent: ReadonlySet<string>;
  /** UIDs of pods that a previous agent started to evict or to preempt. */
  readonly unreportedEvictions: ReadonlySet<string>;
}

/** Whether no container of the pod was ever observed. */
export const hadNoContainer = ({ containers }: Pick<History, 'containers'>, uid: string): boolean =>
  [...containers.values()].every(({ podUid }) => podUid !== uid);

/** A call of an agent that stops a container. */
export interface Stop extends StopTime {
  id: string;
  timeoutSeconds: number;
  /** An agent has run the container's preStop command before. */
  afterPreStop: boolean;
}

/** What was true at the time of a call that stops a container. */
export interface StopTime {
  /** Names of its pod's running containers. */
  running: readonly string[];
  /** The same agent had called for the container's start, which may complete after that agent. */
  isOwn: boolean;
  /** The agent knew the pod and had not rejected it. */
  isAdmitted: boolean;
  /** The same agent had started to evict or to preempt the pod. */
  isEvicted: boolean;
}

/** A volume that an agent unmounted. */
export interface Unmount {
  uid: string;
  volume: string;
  /** Names of its pod's running containers at this time. */
  running: readonly string[];
}

export interface Removal {
  atMs: number;
  graceMs: number;
}

type CreatedContainer = Omit<Start, 'id' | 'at' | 'era'>;

interface Call {
  podSandboxId?: string;
  containerId?: string;
  config?: ContainerConfig;
  timeout?: bigint;
  cmd?: readonly string[];
}

const millis = (nanoseconds: bigint): number => Number(nanoseconds / 1_000_000n);

function createdContainer(uid: string, sandbox: string, { metadata, image, linux }: ContainerConfig): CreatedContainer {
  const { name = '', attempt = 0 } = metadata ?? {};
  const resources = JSON.stringify(linux?.resources, (_, value) => (typeof value === 'bigint' ? `${value}` : value)) ?? '';
  return { uid, sandbox, name, attempt, image: image?.userSpecifiedImage || (image?.image ?? ''), resources };
}

/** Records the history of a node. */
export class HistoryBook implements History {
  starts: Start[] = [];
  writes: Write[] = [];
  evictions: Eviction[] = [];
  stops: Stop[] = [];
  unmounts: Unmount[] = [];
  imageRemovals: ImageRemoval[] = [];
  unsaved: string[] = [];
  lateBeginnings: string[] = [];
  readonly eventWrites = new Map<string, WrittenEvents>();
  /** Events that all agents wrote, and images that they removed. */
  totalEvents = 0;
  totalImageRemovals = 0;
  #agentStartedAtMs = 0;
  readonly graces = new Map<string, number>();
  readonly livenessFailures = new Map<string, number>();
  leaseAtMs = 0;
  readonly #preStopped = new Set<string>();
  /** The last call that stops a container, by the container's id. */
  readonly atStop = new Map<string, StopTime>();
  /** Static pods, also removed ones, by UID. */
  readonly staticPods = new Map<string, Pod>();
  /** UIDs of pods that the current agent started to evict or to preempt. */
  readonly evictedByAgent = new Set<string>();
  readonly preemptedByAgent = new Set<string>();
  readonly pods = new Map<string, Pod>();
  readonly removals = new Map<string, Removal>();
  readonly containers = new Map<string, MemoryContainer>();
  /** By UID/name. */
  readonly #runs = new Map<string, Map<string, MemoryContainer>>();
  readonly stopped = new Set<string>();
  readonly createdAtStop = new Set<string>();
  readonly unreportedEvictions = new Set<string>();
  readonly evicted = new Set<string>();
  era = 0;
  #eraSeen = 0;
  readonly #started = new Set<string>();
  readonly #created = new Map<string, CreatedContainer>();

  /** Records a completed write of an agent. */
  recordAudit({ verb, objectRef, responseStatus, requestObject, responseObject }: AuditEvent, nowMs: number): void {
    if (responseStatus.code >= 300) return;
    if (objectRef.resource === 'leases' && verb !== 'get') this.leaseAtMs = nowMs;
    if (objectRef.resource === 'events' && responseObject !== undefined) this.#recordEvent(responseObject as Event);
    if (objectRef.resource !== 'pods') return;
    const { metadata } = (responseObject ?? {}) as Pod;
    const known = [...this.pods.values()].find((pod) => pod.metadata?.name === objectRef.name);
    const pod = metadata?.uid === undefined ? known : (responseObject as Pod);
    if (pod === undefined) return;
    this.recordWrite(
      pod,
      nowMs,
      verb === 'delete' && (requestObject as { gracePeriodSeconds?: number } | undefined)?.gracePeriodSeconds === 0,
    );
  }

  #recordEvent(event: Event): void {
    this.totalEvents++;
    const bucket = eventBucket(event);
    const written = this.eventWrites.get(bucket) ?? { sinceMs: this.#agentStartedAtMs, writes: new Set() };
    this.eventWrites.set(bucket, written);
    written.writes.add(`${event.metadata.name}/${event.count}`);
  }

  recordImageRemoval(removal: ImageRemoval): void {
    this.totalImageRemovals++;
    this.imageRemovals.push(removal);
  }

  /** Records the pod's current version at the API server. */
  recordWrite(pod: Pod, nowMs: number, removed = false): void {
    const uid = podUid(pod);
    const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = pod.metadata ?? {};
    const before = this.pods.get(uid);
    if (removed || deletionTimestamp !== undefined) this.recordRemoval(uid, nowMs, removed ? 0 : deletionGracePeriodSeconds * 1000);
    if (removed) this.pods.delete(uid);
    else this.pods.set(uid, pod);
    this.writes.push({ atMs: nowMs, before, after: pod });
  }

  /** Records the deletion of a pod; an earlier end of its grace period wins. */
  recordRemoval(uid: string, nowMs: number, graceMs: number): void {
    this.graces.set(uid, Math.min(graceMs / 1000, this.graces.get(uid) ?? Number.POSITIVE_INFINITY));
    const before = this.removals.get(uid);
    if (before === undefined || nowMs + graceMs < before.atMs + before.graceMs) this.removals.set(uid, { atMs: nowMs, graceMs });
  }

  recordEviction(eviction: Eviction): void {
    this.evictions.push(eviction);
    this.evicted.add(eviction.uid);
    this.evictedByAgent.add(eviction.uid);
  }

  recordPreemption(uid: string): void {
    this.evicted.add(uid);
    this.evictedByAgent.add(uid);
    this.preemptedByAgent.add(uid);
  }

  /** A new agent started. */
  agentStarted(nowMs: number): void {
    this.era++;
    this.#agentStartedAtMs = nowMs;
    this.eventWrites.clear();
    this.evictedByAgent.clear();
    this.preemptedByAgent.clear();
    this.livenessFailures.clear();
    for (const uid of this.evicted) this.unreportedEvictions.add(uid);
  }

  /** Adds the current containers, and the calls since the previous time. */
  observe(containers: readonly MemoryContainer[], calls: readonly RecordedCall[]): void {
    for (const container of containers) {
      const { id, podUid: uid, name, startedAt, sandboxId, config } = container;
      this.containers.set(id, container);
      const key = `${uid}/${name}`;
      this.#runs.set(key, (this.#runs.get(key) ?? new Map<string, MemoryContainer>()).set(id, container));
      if (startedAt > 0n && !this.#started.has(id)) this.#startedAt(id, millis(startedAt), createdContainer(uid, sandboxId, config));
    }
    // A container that was created and removed in between is only in the calls.
    for (const { method, request, response, error, endedAt } of calls) {
      const { podSandboxId = '', containerId = '', config = {} } = request as Call;
      const id = (response as { containerId?: string } | undefined)?.containerId;
      if (method === 'createContainer' && id !== undefined)
        this.#created.set(id, createdContainer(config.labels?.['io.kubernetes.pod.uid'] ?? '', podSandboxId, config));
      if (method === 'stopContainer') this.#stoppedBy(containerId, request as Call);
      if (method === 'execSync')
        this.#ran(request as Call, error === undefined ? (response as { exitCode?: number } | undefined) : undefined);
      const known = this.#created.get(containerId);
      const isNew = !this.#started.has(containerId);
      if (method === 'startContainer' && error === undefined && endedAt !== undefined && known && isNew)
        this.#startedAt(containerId, endedAt, known);
    }
    this.#eraSeen = this.era;
  }

  #stoppedBy(id: string, { timeout = 0n }: Call): void {
    this.stopped.add(id);
    this.livenessFailures.delete(id);
    this.stops.push({
      id,
      timeoutSeconds: Number(timeout),
      afterPreStop: this.#preStopped.has(id),
      ...(this.atStop.get(id) ?? { running: [], isOwn: false, isAdmitted: false, isEvicted: false }),
    });
  }

  /** Without an answer, whether the command has failed is not known. */
  #ran({ containerId = '', cmd = [] }: Call, answer: { exitCode?: number } | undefined): void {
    if (cmd[0] === preStopCommand) this.#preStopped.add(containerId);
    if (cmd[0] !== livenessCommand) return;
    if (answer === undefined || answer.exitCode === 0) this.livenessFailures.delete(containerId);
    else this.livenessFailures.set(containerId, (this.livenessFailures.get(containerId) ?? 0) + 1);
  }

  runsOf(uid: string, name: string): Iterable<MemoryContainer> {
    return this.#runs.get(`${uid}/${name}`)?.values() ?? [];
  }

  #startedAt(id: string, at: number, of: CreatedContainer): void {
    this.#started.add(id);
    this.starts.push({ id, ...of, at, era: this.era === this.#eraSeen ? this.era : undefined });
  }

  clear(): void {
    this.starts = [];
    this.writes = [];
    this.evictions = [];
    this.stops = [];
    this.unmounts = [];
    this.imageRemovals = [];
    this.unsaved = [];
    this.lateBeginnings = [];
  }
}
