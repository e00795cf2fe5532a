import type { Clock, EventRecorder, Logger, Metrics, Node, Pod, PodAdmitHandler, PodStatus } from '@nodeagent/api';

type NodeStatusPackage = typeof import('@nodeagent/node-status');

export interface NodeAdmissionOptions {
  /** The Node that pods have to fit. */
  node(): Node | Promise<Node>;
  /** The Node that the API server has now. Default: there is no other than `node`. */
  fetchNode?(signal?: AbortSignal): Promise<Node>;
  /** `allowedUnsafeSysctls` of KubeletConfiguration. */
  allowedUnsafeSysctls: readonly string[];
  /** The pods that run on the node. */
  activePods(): readonly Pod[];
  /** Kills a pod that makes room for a critical one; resolves when its containers have ended. */
  preemptPod(pod: Pod, podStatusFunc: (before: PodStatus) => PodStatus, signal?: AbortSignal): Promise<void>;
  clock: Clock;
  recorder: EventRecorder;
  logger: Logger;
  metrics: Metrics;
}

/** Whether a pod may run on this node, in the kubelet's order: sysctls, then the scheduler's rules, with preemption for critical pods. */
export function createNodeAdmission(nodeStatus: NodeStatusPackage, options: NodeAdmissionOptions): readonly PodAdmitHandler[] {
  const { node, fetchNode, allowedUnsafeSysctls, activePods, preemptPod, clock, recorder, logger, metrics } = options;
  const preempt = nodeStatus.createPreempter({ activePods, killPod: preemptPod, clock, recorder, logger, metrics });
  return [
    nodeStatus.createSysctlAdmitHandler({ allowedUnsafeSysctls }),
    nodeStatus.createPredicateAdmitHandler({ node, ...(fetchNode && { fetchNode }), preempt, logger }),
  ];
}
