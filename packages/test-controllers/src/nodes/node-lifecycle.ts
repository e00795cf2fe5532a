import type { Clock, Node, Taint } from '@nodeagent/api';
import type { Controller } from '../controller.js';
import { type Place, placeOf, type StoredChange } from '../controller-objects.js';
import { conditionTaints } from '../scheduler/node-taints.js';
import { Alarm, nextTurn } from './alarm.js';
import type { ClusterStore } from './cluster-store.js';
import { changedTaints, nodeCondition, notReadyStatus, unknownConditions } from './node-health.js';
import type { PodsByNode } from './pods-by-node.js';
import { EvictionQueue, evictionRate, isExcluded, type ZoneState, zoneOf, zoneState } from './zone-evictions.js';

const component = 'node-controller';
/** `--node-monitor-period`. */
const periodMs = 5_000;
/** Period of the loop that adds the taints that evict pods: `NodeEvictionPeriod`. */
const evictionPeriodMs = 100;
/** `--node-monitor-grace-period`. */
const defaultGraceMs = 50_000;
/** `--node-startup-grace-period`. */
const startupGraceMs = 60_000;

const evicting = (name: string): Taint => ({ key: `node.kubernetes.io/${name}`, effect: 'NoExecute' });
const notReady = evicting('not-ready');
const unreachable = evicting('unreachable');

export interface NodeLifecycleOptions {
  clock: Clock;
  store: ClusterStore;
  pods: PodsByNode;
  /** How long a node may be without a heartbeat, in milliseconds. Default 50 s. */
  graceMs?: number;
}

/** What the controller knows of a node. */
interface KnownNode {
  zone: string;
  isExcluded: boolean;
  isReady: boolean;
}

interface Zone {
  state: ZoneState | undefined;
  queue: EvictionQueue;
}

/**
 * Marks nodes without heartbeats as Unknown and their pods as not ready, and taints nodes by their conditions. Taints that evict pods are
 * added to one node of a zone every ten seconds, and not at all while no node of the cluster is ready. It examines nodes that changed or
 * whose grace period is over, not all of them. Kubernetes documentation, "Nodes: Node controller", "Taints and Tolerations".
 */
export class NodeLifecycle implements Controller {
  readonly #clock: Clock;
  readonly #store: ClusterStore;
  readonly #pods: PodsByNode;
  readonly #graceMs: number;
  readonly #nodes = new Map<string, KnownNode>();
  readonly #zones = new Map<string, Zone>();
  /** Monotonic times of last heartbeats, the oldest first; of nodes that reported their status, and of those that never did. */
  readonly #heartbeats = new Map<string, number>();
  readonly #silent = new Map<string, number>();
  /** Nodes that became ready or not ready since the last turn. */
  readonly #changed = new Set<string>();
  /** The UIDs of the nodes whose registration was reported. */
  readonly #registered = new Map<string, string>();
  readonly #turn: Alarm;
  readonly #eviction: Alarm;

  constructor({ clock, store, pods, graceMs = defaultGraceMs }: NodeLifecycleOptions) {
    this.#clock = clock;
    this.#store = store;
    this.#pods = pods;
    this.#graceMs = graceMs;
    this.#turn = new Alarm(clock, () => this.#monitor());
    this.#eviction = new Alarm(clock, () => this.#evict());
  }

  affected(event: StoredChange): Place[] {
    const { storage, type, object } = event;
    const { namespace, name = '' } = object.metadata;
    if (storage === '/nodes') return this.#see(event);
    const isHeartbeat = storage === 'coordination.k8s.io/leases' && namespace === 'kube-node-lease' && type !== 'DELETED';
    if (isHeartbeat && this.#nodes.has(name)) this.#noteHeartbeat(name);
    return [];
  }

  /** Sets the taints that follow from the node's conditions and keep new pods away. */
  reconcile({ name }: Place): void {
    const node = this.#store.node(name);
    if (node === undefined) return;
    const { wanted, unwanted } = conditionTaints(node);
    this.#changeTaints(node, { add: wanted, remove: unwanted });
  }

  stop(): void {
    this.#turn.stop();
    this.#eviction.stop();
  }

  #see({ type, object, previous }: StoredChange): Place[] {
    const node = object as Node;
    const name = object.metadata.name ?? '';
    if (type === 'DELETED') {
      this.#forget(name);
      return [];
    }
    const [ready, before] = [nodeCondition(node, 'Ready'), previous && nodeCondition(previous as Node, 'Ready')];
    const known = { zone: zoneOf(node), isExcluded: isExcluded(node), isReady: ready?.status === 'True' };
    if (this.#nodes.get(name)?.zone !== known.zone) {
      this.#queueOf(name)?.remove(name);
      this.#changed.add(name);
    }
    this.#nodes.set(name, known);
    if (!this.#zones.has(known.zone)) this.#zones.set(known.zone, { state: undefined, queue: new EvictionQueue() });
    if (previous === undefined && ready === undefined) this.#silent.set(name, this.#clock.monotonic());
    else if (previous === undefined || ready?.lastHeartbeatTime !== before?.lastHeartbeatTime) this.#noteHeartbeat(name);
    if (ready?.status !== before?.status) this.#changed.add(name);
    this.#setTurn();
    return [placeOf('/nodes', object)];
  }

  #forget(name: string): void {
    for (const names of [this.#nodes, this.#heartbeats, this.#silent, this.#changed]) names.delete(name);
    for (const { queue } of this.#zones.values()) queue.remove(name);
    this.#setTurn();
  }

  #noteHeartbeat(name: string): void {
    this.#silent.delete(name);
    this.#heartbeats.delete(name);
    this.#heartbeats.set(name, this.#clock.monotonic());
    this.#setTurn();
  }

  /** The next turn at which there is something to do. */
  #setTurn(): void {
    const now = this.#clock.monotonic();
    const [heartbeat = Infinity] = this.#heartbeats.values();
    const [silence = Infinity] = this.#silent.values();
    const isDue = this.#changed.size > 0 || this.#registered.size > this.#nodes.size;
    const dueAt = isDue ? now : Math.min(heartbeat + this.#graceMs, silence + startupGraceMs);
    if (dueAt < Infinity) this.#turn.set(nextTurn(Math.max(now, dueAt), periodMs));
  }

  #monitor(): void {
    this.#reportNodes([...this.#changed]);
    for (const [times, graceMs] of [
      [this.#heartbeats, this.#graceMs],
      [this.#silent, startupGraceMs],
    ] as const) {
      for (const name of overdue(times, this.#clock.monotonic() - graceMs)) {
        times.delete(name);
        this.#markUnknown(name);
      }
    }
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const name of changed) this.#decideEviction(name);
    this.#followZones();
    const isAnyDue = [...this.#zones.values()].some(({ queue }) => queue.dueAt !== undefined);
    if (isAnyDue) this.#eviction.set(nextTurn(this.#clock.monotonic(), evictionPeriodMs));
    this.#setTurn();
  }

  /** Reports nodes that are new or were deleted. */
  #reportNodes(changed: readonly string[]): void {
    const record = (name: string, uid: string, reason: string, what: string) => {
      const message = `Node ${name} event: ${what} Controller`;
      this.#store.record({ apiVersion: 'v1', kind: 'Node', metadata: { name, uid } }, { component, type: 'Normal', reason, message });
    };
    for (const name of changed) {
      const uid = this.#store.node(name)?.metadata?.uid;
      if (uid === undefined || this.#registered.has(name)) continue;
      this.#registered.set(name, uid);
      record(name, uid, 'RegisteredNode', `Registered Node ${name} in`);
    }
    for (const [name, uid] of this.#registered) {
      if (this.#nodes.has(name)) continue;
      this.#registered.delete(name);
      record(name, uid, 'RemovingNode', `Removing Node ${name} from`);
    }
  }

  #markUnknown(name: string): void {
    const node = this.#store.node(name);
    const now = this.#clock.now();
    const conditions = node && unknownConditions(node, now);
    if (node === undefined || conditions === undefined) return;
    const wasReady = nodeCondition(node, 'Ready')?.status === 'True';
    this.#store.setNodeConditions(name, conditions);
    if (!wasReady) return;
    const message = `Node ${name} status is now: NodeNotReady`;
    this.#store.record(node, { component, type: 'Normal', reason: 'NodeNotReady', message });
    for (const each of this.#pods.on(name)) {
      const pod = this.#store.pod(each.namespace, each.name);
      const status = notReadyStatus(pod?.status, now);
      if (pod === undefined || status === undefined) continue;
      this.#store.setPodStatus(pod, status);
      this.#store.record(pod, { component, type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
    }
  }

  /** Queues a node that is not ready for the taint that evicts its pods; removes that of a ready one at once. */
  #decideEviction(name: string): void {
    const node = this.#store.node(name);
    const status = node && nodeCondition(node, 'Ready')?.status;
    if (node === undefined || status === undefined) return;
    if (status === 'True') this.#keepPods(node);
    else if (!this.#swapEvictingTaint(node)) this.#queueOf(name)?.add(name);
  }

  /** Changes the taint of a node that has the other one. Returns whether the node has one. */
  #swapEvictingTaint(node: Node): boolean {
    const [add, remove] = evictingTaints(node);
    const keys = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute').map(({ key }) => key);
    if (keys.includes(remove.key)) this.#changeTaints(node, { add: [add], remove: [remove] });
    return keys.includes(remove.key) || keys.includes(add.key);
  }

  #keepPods(node: Node): void {
    const { name = '' } = node.metadata ?? {};
    this.#queueOf(name)?.remove(name);
    this.#changeTaints(node, { remove: [notReady, unreachable] });
  }

  #queueOf(name: string): EvictionQueue | undefined {
    return this.#zones.get(this.#nodes.get(name)?.zone ?? '')?.queue;
  }

  /** Adds the taints whose turn it is. */
  #evict(): void {
    const now = this.#clock.monotonic();
    for (const { queue } of this.#zones.values()) {
      for (let name = queue.take(now); name !== undefined; name = queue.take(now)) {
        const node = this.#store.node(name);
        if (node === undefined || nodeCondition(node, 'Ready')?.status === 'True') continue;
        const [add, remove] = evictingTaints(node);
        this.#changeTaints(node, { add: [add], remove: [remove] });
      }
      if (queue.dueAt !== undefined) this.#eviction.set(queue.dueAt);
    }
  }

  /** Adapts the pace of evictions to the states of the zones. */
  #followZones(): void {
    const counts = new Map<string, { ready: number; notReady: number }>();
    for (const { zone, isReady, isExcluded: skipped } of this.#nodes.values()) {
      const count = counts.get(zone) ?? { ready: 0, notReady: 0 };
      if (!skipped) counts.set(zone, count);
      count[isReady ? 'ready' : 'notReady']++;
    }
    for (const zone of this.#zones.keys()) if (!counts.has(zone)) this.#zones.delete(zone);
    const wasDown = this.#isDown();
    for (const [name, zone] of this.#zones) {
      const { ready, notReady: others } = counts.get(name) ?? { ready: 0, notReady: 0 };
      zone.state = zoneState({ ready, notReady: others });
      zone.queue.perSecond = evictionRate(zone.state, ready + others);
    }
    if (!this.#isDown()) {
      if (wasDown) this.#resumeEvictions();
      return;
    }
    for (const { queue } of this.#zones.values()) queue.perSecond = 0;
    if (!wasDown) this.#stopEvictions();
  }

  /** Whether no node of the cluster is ready. */
  #isDown(): boolean {
    return this.#zones.size > 0 && [...this.#zones.values()].every(({ state }) => state === 'full');
  }

  /** The fault is assumed to be between the control plane and all nodes: no pod is evicted. */
  #stopEvictions(): void {
    for (const name of this.#nodes.keys()) {
      const node = this.#store.node(name);
      if (node) this.#keepPods(node);
    }
  }

  /** Some node is ready again: the grace period of every node restarts, and those that are still not ready are queued. */
  #resumeEvictions(): void {
    for (const [name, { isReady }] of this.#nodes) {
      this.#noteHeartbeat(name);
      if (!isReady) this.#changed.add(name);
    }
  }

  #changeTaints({ metadata, spec }: Node, change: { add?: readonly Taint[]; remove?: readonly Taint[] }): void {
    const taints = changedTaints(spec?.taints, change, this.#clock.now());
    if (taints) this.#store.setTaints(metadata?.name ?? '', taints);
  }
}

/** The taint of a node that is not ready, and the one that it replaces. */
function evictingTaints(node: Node): [add: Taint, remove: Taint] {
  return nodeCondition(node, 'Ready')?.status === 'False' ? [notReady, unreachable] : [unreachable, notReady];
}

/** The names whose time is before this one. `times` is in the order of time. */
function overdue(times: ReadonlyMap<string, number>, before: number): string[] {
  const names: string[] = [];
  for (const [name, time] of times) {
    if (time >= before) break;
    names.push(name);
  }
  return names;
}
