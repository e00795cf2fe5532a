import type { Clock, Node, Pod, Taint, Toleration } from '@nodeagent/api';
import { formatTime, tolerates } from '@nodeagent/api/helpers';
import type { Controller } from '../controller.js';
import { type Place, placeOf, type StoredChange } from '../controller-objects.js';
import { type PodName, podKey, podNameOf } from '../pod-name.js';
import { observed, withCondition } from '../with-condition.js';
import { Alarm } from './alarm.js';
import type { ClusterStore } from './cluster-store.js';
import type { PodsByNode } from './pods-by-node.js';

const component = 'taint-eviction-controller';
const reason = 'TaintManagerEviction';

/**
 * How long a pod stays on a node with these NoExecute taints, in milliseconds: 0 if it does not tolerate one of them, undefined if it
 * stays. Kubernetes documentation, "Taints and Tolerations: Taint based Evictions".
 */
export function evictionDelayMs(taints: readonly Taint[], tolerations: readonly Toleration[]): number | undefined {
  let delayMs: number | undefined;
  for (const taint of taints) {
    const toleration = tolerations.find((each) => tolerates(each, taint));
    if (toleration === undefined) return 0;
    const { tolerationSeconds } = toleration;
    if (tolerationSeconds !== undefined) delayMs = Math.min(delayMs ?? Infinity, Math.max(0, tolerationSeconds) * 1_000);
  }
  return delayMs;
}

const evictingTaints = (node: Node | undefined): Taint[] => (node?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute');

interface Eviction {
  pod: PodName;
  /** Monotonic times: when the pod met the taints, and when it is deleted. */
  since: number;
  at: number;
}

/** Deletes pods from nodes with NoExecute taints that they do not tolerate, or no longer. */
export class TaintEviction implements Controller {
  readonly #clock: Clock;
  readonly #store: ClusterStore;
  readonly #pods: PodsByNode;
  readonly #evictions = new Map<string, Eviction>();
  readonly #alarm: Alarm;

  constructor({ clock, store, pods }: { clock: Clock; store: ClusterStore; pods: PodsByNode }) {
    this.#clock = clock;
    this.#store = store;
    this.#pods = pods;
    this.#alarm = new Alarm(clock, () => this.#evict());
  }

  affected({ storage, type, object, previous }: StoredChange): Place[] {
    if (storage === '/nodes') {
      const [now, before] = [evictingTaints(object as Node), evictingTaints(previous as Node | undefined)];
      const isSame = now.length === before.length && now.every(({ key, value }, i) => before[i]?.key === key && before[i]?.value === value);
      return isSame || type === 'DELETED' ? [] : [placeOf(storage, object)];
    }
    if (storage !== '/pods') return [];
    const [spec, specBefore] = [(object as Pod).spec, (previous as Pod | undefined)?.spec];
    if (type === 'DELETED') this.#evictions.delete(podKey(podNameOf(object as Pod)));
    else if (spec?.nodeName && (!specBefore?.nodeName || spec.tolerations?.length !== specBefore.tolerations?.length))
      return [placeOf(storage, object)];
    return [];
  }

  reconcile({ storage, namespace = '', name }: Place): void {
    const pods = storage === '/nodes' ? this.#pods.on(name) : [{ namespace, name }];
    for (const each of pods) {
      const pod = this.#store.pod(each.namespace, each.name);
      if (pod) this.#schedule(pod, evictingTaints(this.#store.node(pod.spec?.nodeName ?? '')));
    }
    this.#evict();
  }

  stop(): void {
    this.#alarm.stop();
  }

  #schedule(pod: Pod, taints: readonly Taint[]): void {
    const name = podNameOf(pod);
    const scheduled = this.#evictions.get(podKey(name));
    const delayMs = evictionDelayMs(taints, pod.spec?.tolerations ?? []);
    if (delayMs !== undefined) {
      const since = scheduled?.since ?? this.#clock.monotonic();
      const at = Math.min(since + delayMs, scheduled?.at ?? Infinity);
      this.#evictions.set(podKey(name), { pod: name, since, at });
    } else if (this.#evictions.delete(podKey(name))) {
      this.#record(name, 'Cancelling deletion of');
    }
  }

  #evict(): void {
    const now = this.#clock.monotonic();
    for (const [key, { pod, at }] of this.#evictions) {
      if (at > now) continue;
      this.#evictions.delete(key);
      this.#delete(pod);
    }
    let next = Infinity;
    for (const { at } of this.#evictions.values()) next = Math.min(next, at);
    if (next < Infinity) this.#alarm.set(next);
  }

  /** About the name of the pod only, as in a cluster. */
  #record(name: PodName, what: string): void {
    const subject = { apiVersion: 'v1', kind: 'Pod', metadata: { ...name } };
    this.#store.record(subject, { component, type: 'Normal', reason, message: `${what} Pod ${podKey(name)}` });
  }

  #delete(name: PodName): void {
    const pod = this.#store.pod(name.namespace, name.name);
    if (pod === undefined) return;
    this.#record(name, 'Marking for deletion');
    const message = 'Taint manager: deleting due to NoExecute taint';
    const target = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager', message, ...observed(pod) };
    const conditions = withCondition(pod.status?.conditions ?? [], target, formatTime(this.#clock.now()));
    this.#store.setPodStatus(pod, { ...pod.status, conditions });
    this.#store.deletePod(pod);
  }
}
