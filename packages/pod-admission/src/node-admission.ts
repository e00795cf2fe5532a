import type { Clock, EventRecorder, Logger, Metrics, Node, Pod, PodAdmitHandler, PodStatus } from '@nodeagent/api';
import { createPredicateAdmitHandler } from './predicate-admit-handler.js';
import { createPreempter } from './preempter.js';
import { createSysctlAdmitHandler } from './sysctl-admit-handler.js';

export interface NodeAdmissionOptions {
  /** The Node on which pods must fit. */
  node(): Node | Promise<Node>;
  /** Fetches the current Node from the API server. Default: only `node` is used. */
  fetchNode?(signal?: AbortSignal): Promise<Node>;
  /** `allowedUnsafeSysctls` of KubeletConfiguration. Default: none. */
  allowedUnsafeSysctls?: readonly string[];
  /** The active pods on the node. */
  activePods(): readonly Pod[];
  /** Kills a pod that makes room for a critical one; resolves when its containers have terminated. */
  preemptPod(pod: Pod, podStatusFunc: (before: PodStatus) => PodStatus, signal?: AbortSignal): Promise<void>;
  clock?: Clock;
  recorder?: EventRecorder;
  logger?: Logger;
  metrics?: Metrics;
}

/**
 * The handlers that admit a pod to a node, in the kubelet's order: sysctls, then the scheduler's predicates, with preemption for critical
 * pods.
 */
export function createNodeAdmission(options: NodeAdmissionOptions): readonly PodAdmitHandler[] {
  const { node, fetchNode, allowedUnsafeSysctls = [], preemptPod, logger } = options;
  const preempt = createPreempter({ ...options, killPod: preemptPod });
  return [
    createSysctlAdmitHandler({ allowedUnsafeSysctls }),
    createPredicateAdmitHandler({ node, ...(fetchNode && { fetchNode }), preempt, ...(logger && { logger }) }),
  ];
}
