import type { Node, Pod } from '@nodeagent/api';
import { isTerminalPhase } from '@nodeagent/api/helpers';
import { type ClusterRoom, emptyRoom, type NodeRoom, needsOf, type PodNeeds, placePod } from './node-room.js';

/** The free resources of nodes, updated by changes: the cost of a change does not depend on the number of nodes. */
export class ClusterBook {
  readonly #nodes = new Map<string, Node>();
  /** The requirements of the pods on each node, by key; including unknown nodes. */
  readonly #pods = new Map<string, Map<string, PodNeeds>>();
  readonly #rooms = new Map<string, NodeRoom>();
  #sorted: string[] | undefined;

  setNode(name: string, node: Node | undefined): void {
    if (node === undefined || !this.#nodes.has(name)) this.#sorted = undefined;
    if (node) this.#nodes.set(name, node);
    else this.#nodes.delete(name);
    this.#rooms.delete(name);
  }

  /** Sets or removes a pod on the node; terminated pods use no resources. Returns true if resources were freed. */
  setPod(nodeName: string, key: string, pod: Pod | undefined): boolean {
    const pods = this.#pods.get(nodeName) ?? new Map<string, PodNeeds>();
    const known = pods.get(key);
    const takes = pod !== undefined && !isTerminalPhase(pod.status?.phase);
    if (takes && known && known.pod.metadata?.generation === pod.metadata?.generation) return false;
    if (!takes && !known) return false;
    if (takes) pods.set(key, needsOf(pod));
    else pods.delete(key);
    if (pods.size > 0) this.#pods.set(nodeName, pods);
    else this.#pods.delete(nodeName);
    this.#rooms.delete(nodeName);
    return known !== undefined;
  }

  /** The nodes by name, with the usage of their pods. A placed pod stays only if {@link setPod} sets it too. */
  cluster(): ClusterRoom {
    this.#sorted ??= [...this.#nodes.keys()].sort();
    const cluster: ClusterRoom = { rooms: [], repelling: [] };
    for (const name of this.#sorted) cluster.rooms.push(this.#room(name));
    for (const [name, pods] of this.#pods) {
      const room = this.#rooms.get(name);
      if (room) for (const needs of pods.values()) if (needs.apart.length > 0) cluster.repelling.push({ needs, room });
    }
    return cluster;
  }

  #room(name: string): NodeRoom {
    const known = this.#rooms.get(name);
    if (known) return known;
    const room = emptyRoom(this.#nodes.get(name) as Node);
    const alone: ClusterRoom = { rooms: [room], repelling: [] };
    for (const needs of this.#pods.get(name)?.values() ?? []) placePod(alone, room, needs);
    this.#rooms.set(name, room);
    return room;
  }
}
