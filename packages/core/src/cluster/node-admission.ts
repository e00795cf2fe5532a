import type { Clock, EventRecorder, Logger, Metrics, Node, Pod, PodAdmitHandler, PodStatus } from '@nodeagent/api';

type PodAdmissionPackage = typeof import('@nodeagent/pod-admission');

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

/**
 * The handlers that admit a pod to this node, in the kubelet's order: sysctls, then the scheduler's predicates, with preemption for critical
 * pods. `@nodeagent/pod-admission` comes as an argument because an agent loads it at its start.
 */
export function createNodeAdmission(podAdmission: PodAdmissionPackage, options: NodeAdmissionOptions): readonly PodAdmitHandler[] {
  const { node, fetchNode, allowedUnsafeSysctls, activePods, preemptPod, clock, recorder, logger, metrics } = options;
  const preempt = podAdmission.createPreempter({ activePods, killPod: preemptPod, clock, recorder, logger, metrics });
  return [
    podAdmission.createSysctlAdmitHandler({ allowedUnsafeSysctls }),
    podAdmission.createPredicateAdmitHandler({ node, ...(fetchNode && { fetchNode }), preempt, logger }),
  ];
}
