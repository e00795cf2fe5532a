import type { Node, Pod, PodAffinityTerm, Taint, Toleration } from '@nodeagent/api';
import { isTerminalPhase, parseResourceList, podQosClass, podRequests, Quantity, type ResourceQuantities } from '@nodeagent/api/helpers';
import { nodeTaints } from './node-taints.js';

/** A host port of a pod. */
export interface HostPort {
  ip: string;
  port: number;
  protocol: string;
}

/** A pod with its requirements on a node. */
export interface PodNeeds {
  pod: Pod;
  requests: ResourceQuantities;
  hostPorts: HostPort[];
  tolerations: Toleration[];
  /** Required affinity and anti-affinity to other pods. */
  near: PodAffinityTerm[];
  apart: PodAffinityTerm[];
}

/** A node with its used resources. */
export interface NodeRoom {
  node: Node;
  taints: Taint[];
  allocatable: ResourceQuantities;
  requested: ResourceQuantities;
  hostPorts: HostPort[];
  pods: Pod[];
  /** Free share of its CPU and memory, 0 to 1. */
  freeShare: number;
}

/** All nodes, and their pods with anti-affinity. */
export interface ClusterRoom {
  rooms: NodeRoom[];
  repelling: { needs: PodNeeds; room: NodeRoom }[];
  /** Number of nodes checked so far, if not all are checked for each pod. */
  checked?: number;
}

export function needsOf(pod: Pod): PodNeeds {
  const { affinity, tolerations = [] } = pod.spec ?? {};
  return {
    pod,
    requests: podRequests(pod),
    hostPorts: hostPortsOf(pod),
    tolerations: podQosClass(pod) === 'BestEffort' ? tolerations : [...tolerations, toleratesMemoryPressure],
    near: affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
    apart: affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
  };
}

/** Pods that request CPU or memory are admitted under memory pressure. */
const toleratesMemoryPressure: Toleration = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' };

/** A node without pods. */
export const emptyRoom = (node: Node): NodeRoom => ({
  node,
  taints: nodeTaints(node),
  allocatable: parseResourceList(node.status?.allocatable),
  requested: new Map(),
  hostPorts: [],
  pods: [],
  freeShare: 1,
});

/** The nodes with the usage of their pods; terminated pods use no resources. */
export function clusterRoom(nodes: readonly Node[], boundPods: readonly Pod[]): ClusterRoom {
  const rooms = nodes.map(emptyRoom);
  const cluster: ClusterRoom = { rooms, repelling: [] };
  const byName = new Map(rooms.map((room) => [room.node.metadata?.name, room]));
  for (const pod of boundPods) {
    const room = byName.get(pod.spec?.nodeName);
    if (room && !isTerminalPhase(pod.status?.phase)) placePod(cluster, room, needsOf(pod));
  }
  return cluster;
}

/** Adds the usage of one more pod. */
export function placePod(cluster: ClusterRoom, room: NodeRoom, needs: PodNeeds): void {
  for (const [name, amount] of needs.requests) room.requested.set(name, (room.requested.get(name) ?? Quantity.zero).add(amount));
  room.hostPorts.push(...needs.hostPorts);
  room.pods.push(needs.pod);
  room.freeShare = freeShareOf(room);
  if (needs.apart.length > 0) cluster.repelling.push({ needs, room });
}

function hostPortsOf({ spec }: Pod): HostPort[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, hostIP, protocol }) =>
      hostPort ? [{ ip: hostIP || '0.0.0.0', port: hostPort, protocol: protocol ?? 'TCP' }] : [],
    ),
  );
}

/** Whether two pods would listen on the same address of the node. */
export function clash(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === '0.0.0.0' || b.ip === '0.0.0.0');
}

function freeShareOf({ allocatable, requested }: NodeRoom): number {
  const shares = ['cpu', 'memory'].map((name) => {
    const total = Number(allocatable.get(name)?.milliValue() ?? 0n);
    const taken = Number(requested.get(name)?.milliValue() ?? 0n);
    return total > 0 ? Math.max(0, 1 - taken / total) : 0;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
