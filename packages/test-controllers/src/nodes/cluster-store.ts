import type { Node, NodeCondition, Pod, PodStatus, Taint } from '@nodeagent/api';
import type { ControllerEvent } from '../event-writer.js';

/** What the node controllers read and write: the store of an API server, or a client with a cache. */
export interface ClusterStore {
  node(name: string): Node | undefined;
  pod(namespace: string, name: string): Pod | undefined;
  setTaints(nodeName: string, taints: readonly Taint[]): void;
  setNodeConditions(nodeName: string, conditions: readonly NodeCondition[]): void;
  setPodStatus(pod: Pod, status: PodStatus): void;
  /** Deletes the pod. Default grace period: that of the pod. */
  deletePod(pod: Pod, options?: { gracePeriodSeconds: number }): void;
  record(about: Node | Pod, event: ControllerEvent): void;
}
