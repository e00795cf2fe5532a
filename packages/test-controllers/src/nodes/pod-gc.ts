import type { Clock, Node, Pod, PodCondition } from '@nodeagent/api';
import { formatTime, isTerminalPhase } from '@nodeagent/api/helpers';
import type { Controller } from '../controller.js';
import type { Place, StoredChange } from '../controller-objects.js';
import { type PodName, podKey, podNameOf } from '../pod-name.js';
import { observed, withCondition } from '../with-condition.js';
import { Alarm, nextTurn } from './alarm.js';
import type { ClusterStore } from './cluster-store.js';
import { nodeCondition } from './node-health.js';
import type { PodsByNode } from './pods-by-node.js';

const periodMs = 20_000;
/** How long a node is missing before its pods are deleted. */
const quarantineMs = 40_000;
/** `--terminated-pod-gc-threshold`. */
const defaultThreshold = 12_500;

const missingNode: PodCondition = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
};

const isOutOfService = (node: Node): boolean =>
  nodeCondition(node, 'Ready')?.status !== 'True' &&
  (node.spec?.taints ?? []).some(({ key }) => key === 'node.kubernetes.io/out-of-service');

/** Pods in the order of their deletion: evicted ones first, then the oldest. */
function byEvictionAndAge(a: Pod, b: Pod): number {
  const rank = ({ metadata, status }: Pod) =>
    `${status?.phase === 'Failed' && status.reason === 'Evicted' ? 0 : 1} ${metadata?.creationTimestamp ?? ''} ${metadata?.name ?? ''}`;
  return rank(a) < rank(b) ? -1 : 1;
}

export interface PodGcOptions {
  clock: Clock;
  store: ClusterStore;
  pods: PodsByNode;
  /** Number of terminated pods that are kept. Default 12500. */
  threshold?: number;
}

/**
 * Deletes pods that no node will ever remove: of deleted nodes, terminating ones of nodes that are out of service or that were never
 * bound, and terminated ones beyond a number. Runs every 20 s while there may be such pods. Kubernetes documentation, "Pod Lifecycle:
 * Garbage collection of Pods".
 */
export class PodGc implements Controller {
  readonly #clock: Clock;
  readonly #store: ClusterStore;
  readonly #pods: PodsByNode;
  readonly #threshold: number;
  readonly #terminated = new Map<string, PodName>();
  readonly #terminating = new Map<string, PodName>();
  /** Names of missing nodes with pods; the monotonic end of their quarantine, once it has started. */
  readonly #missing = new Map<string, number | undefined>();
  readonly #turn: Alarm;

  constructor({ clock, store, pods, threshold = defaultThreshold }: PodGcOptions) {
    this.#clock = clock;
    this.#store = store;
    this.#pods = pods;
    this.#threshold = threshold;
    this.#turn = new Alarm(clock, () => this.#collect());
  }

  affected({ storage, type, object }: StoredChange): Place[] {
    if (storage === '/pods') this.#seePod(object as Pod, type === 'DELETED');
    if (storage !== '/nodes') return [];
    const { name = '' } = object.metadata;
    if (type !== 'DELETED') this.#missing.delete(name);
    else if (this.#pods.on(name).length > 0) this.#missing.set(name, undefined);
    if (this.#missing.size > 0 || isOutOfService(object as Node)) this.#setTurn();
    return [];
  }

  reconcile(): void {}

  stop(): void {
    this.#turn.stop();
  }

  #seePod(pod: Pod, isDeleted: boolean): void {
    const name = podNameOf(pod);
    const note = (pods: Map<string, PodName>, holds: boolean) => {
      if (holds && !isDeleted) pods.set(podKey(name), name);
      else pods.delete(podKey(name));
    };
    note(this.#terminated, isTerminalPhase(pod.status?.phase));
    note(this.#terminating, pod.metadata?.deletionTimestamp !== undefined);
    if (isDeleted) return;
    const nodeName = pod.spec?.nodeName;
    if (nodeName && !this.#missing.has(nodeName) && this.#store.node(nodeName) === undefined) this.#missing.set(nodeName, undefined);
    if (this.#missing.size > 0 || this.#terminated.size > this.#threshold || this.#isStuck(pod)) this.#setTurn();
  }

  #setTurn(): void {
    this.#turn.set(nextTurn(this.#clock.monotonic(), periodMs));
  }

  /** Whether the pod terminates, and no node will confirm that. */
  #isStuck({ metadata, spec }: Pod): boolean {
    if (!metadata?.deletionTimestamp) return false;
    const node = spec?.nodeName ? this.#store.node(spec.nodeName) : undefined;
    return spec?.nodeName ? node !== undefined && isOutOfService(node) : true;
  }

  #collect(): void {
    const terminated = this.#podsOf(this.#terminated.values()).sort(byEvictionAndAge);
    for (const pod of terminated.slice(0, Math.max(0, terminated.length - this.#threshold))) this.#delete(pod);
    for (const pod of this.#podsOf(this.#terminating.values())) if (this.#isStuck(pod)) this.#delete(pod);
    const now = this.#clock.monotonic();
    for (const [name, until] of this.#missing) {
      if (until === undefined) this.#missing.set(name, now + quarantineMs);
      else if (now >= until) {
        this.#missing.delete(name);
        for (const pod of this.#podsOf(this.#pods.on(name))) this.#delete(pod, missingNode);
      }
    }
    if (this.#missing.size > 0) this.#setTurn();
  }

  #podsOf(names: Iterable<PodName>): Pod[] {
    return Array.from(names, ({ namespace, name }) => this.#store.pod(namespace, name)).filter((pod) => pod !== undefined);
  }

  #delete(pod: Pod, condition?: PodCondition): void {
    const { conditions = [], phase } = pod.status ?? {};
    if (!isTerminalPhase(phase)) {
      const changed = condition && withCondition(conditions, { ...condition, ...observed(pod) }, formatTime(this.#clock.now()));
      this.#store.setPodStatus(pod, { ...pod.status, phase: 'Failed', ...(changed && { conditions: changed }) });
    }
    this.#store.deletePod(pod, { gracePeriodSeconds: 0 });
  }
}
