import type { Node, Pod } from '@nodeagent/api';
import { isTerminalPhase } from '@nodeagent/api/helpers';
import { addPodTo, type NodeInfo, nodeInfoOf } from './framework/node-info.js';
import { type PodInfo, podInfoOf } from './framework/pod-info.js';
import type { ObjectReader, Snapshot } from './framework/snapshot.js';

/** What changed for other pods. */
export type PodChange = 'podAdded' | 'podChanged' | 'podRemoved' | undefined;

/** The nodes with their pods, updated by changes: the cost of a change does not depend on the number of nodes. */
export class ClusterBook implements Snapshot {
  readonly objects: ObjectReader;
  readonly nominated = new Map<string, PodInfo[]>();
  startAt = 0;
  readonly #byName = new Map<string, NodeInfo>();
  /** The pods of each node by key, including those of unknown nodes. */
  readonly #pods = new Map<string, Map<string, PodInfo>>();
  #sorted: NodeInfo[] | undefined;

  constructor(objects: ObjectReader) {
    this.objects = objects;
  }

  get nodes(): readonly NodeInfo[] {
    this.#sorted ??= [...this.#byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return this.#sorted;
  }

  setNode(name: string, node: Node | undefined): void {
    this.#sorted = undefined;
    if (!node) {
      this.#byName.delete(name);
      return;
    }
    const info = nodeInfoOf(node);
    for (const pod of this.#pods.get(name)?.values() ?? []) addPodTo(info, pod, 1);
    this.#byName.set(name, info);
  }

  /** Sets or removes a pod on the node; terminated pods use no resources. Returns what that is to other pods. */
  setPod(nodeName: string, key: string, pod: Pod | undefined): PodChange {
    const known = this.#pods.get(nodeName)?.get(key);
    if (!pod || isTerminalPhase(pod.status?.phase)) {
      if (known) this.#remove(nodeName, known);
      return known && 'podRemoved';
    }
    if (known && isSamePod(known.pod, pod)) return undefined;
    if (known) this.#remove(nodeName, known);
    const info = podInfoOf(pod);
    this.place(nodeName, info);
    if (!known) return 'podAdded';
    const freed = Array.from(known.requests).some(([name, amount]) => amount > (info.requests.get(name) ?? 0));
    return freed || !hasSameLabels(known.pod, pod) ? 'podChanged' : undefined;
  }

  /** Adds a pod to a node, before or after it is bound. */
  place(nodeName: string, pod: PodInfo): void {
    const pods = this.#pods.get(nodeName) ?? new Map<string, PodInfo>();
    this.#pods.set(nodeName, pods.set(pod.key, pod));
    const node = this.#byName.get(nodeName);
    if (node) addPodTo(node, pod, 1);
  }

  /** Sets on which node a pod waits for preempted pods to end. */
  nominate(key: string, nodeName: string | undefined, pod: PodInfo | undefined): void {
    for (const [name, pods] of this.nominated) {
      const others = pods.filter((other) => other.key !== key);
      if (others.length > 0) this.nominated.set(name, others);
      else this.nominated.delete(name);
    }
    if (nodeName && pod) this.nominated.set(nodeName, [...(this.nominated.get(nodeName) ?? []), pod]);
  }

  #remove(nodeName: string, known: PodInfo): void {
    const pods = this.#pods.get(nodeName);
    pods?.delete(known.key);
    if (pods?.size === 0) this.#pods.delete(nodeName);
    const node = this.#byName.get(nodeName);
    if (node) addPodTo(node, known, -1);
  }
}

/** Whether nothing changed that rules read. The start time is when its status changes for the first time. */
function isSamePod(before: Pod, after: Pod): boolean {
  const [old, now] = [before.metadata ?? {}, after.metadata ?? {}];
  return (
    old.uid === now.uid &&
    old.generation === now.generation &&
    old.deletionTimestamp === now.deletionTimestamp &&
    before.status?.startTime === after.status?.startTime &&
    hasSameLabels(before, after) &&
    hasBeenPreempted(before) === hasBeenPreempted(after)
  );
}

const hasSameLabels = ({ metadata: before }: Pod, { metadata: after }: Pod) =>
  before?.labels === after?.labels || JSON.stringify(before?.labels) === JSON.stringify(after?.labels);

const hasBeenPreempted = ({ status }: Pod) => status?.conditions?.some(({ type }) => type === 'DisruptionTarget') ?? false;
