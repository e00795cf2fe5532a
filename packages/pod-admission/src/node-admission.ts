import type { Clock, EventRecorder, Logger, Metrics, Node, Pod, PodAdmitHandler, PodStatus } from '@nodeagent/api';
import { createPredicateAdmitHandler } from './predicate-admit-handler.js';
import { createPreempter } from './preempter.js';
import { createSysctlAdmitHandler } from './sysctl-admit-handler.js';

export interface NodeAdmissionOptions {
  /** The Node on which pods must fit. */
  node(): Node | Promise<Node>;
  /** The number of devices in use by resource, if the pod has devices: the node offers no fewer. Default: none. */
  devicesInUse?(podUID: string): Readonly<Record<string, number>>;
  /** Fetches the current Node from the API server. Default: only `node` is used. */
  fetchNode?(signal?: AbortSignal): Promise<Node>;
  /** `allowedUnsafeSysctls` of KubeletConfiguration. Default: none. */
  allowedUnsafeSysctls?: readonly string[];
  /** Kills a pod that makes room for a critical one; resolves when its containers have terminated. */
  preemptPod(pod: Pod, podStatusFunc: (before: PodStatus) => PodStatus, signal?: AbortSignal): Promise<void>;
  /** Assigns CPUs, memory and devices to a pod: called between the checks of sysctls and predicates. Default: none. */
  allocateResources?: PodAdmitHandler;
  clock?: Clock;
  recorder?: EventRecorder;
  logger?: Logger;
  metrics?: Metrics;
}

/**
 * The handlers that admit a pod to a node, in the kubelet's order: sysctls, the allocation of CPUs, memory and devices, then the scheduler's predicates, with preemption for critical
 * pods.
 */
export function createNodeAdmission(options: NodeAdmissionOptions): readonly PodAdmitHandler[] {
  const { node, devicesInUse, fetchNode, allowedUnsafeSysctls = [], preemptPod, allocateResources, ...ports } = options;
  const preempt = createPreempter({ ...ports, killPod: preemptPod });
  return [
    createSysctlAdmitHandler({ allowedUnsafeSysctls }),
    ...(allocateResources ? [allocateResources] : []),
    createPredicateAdmitHandler({
      node,
      devicesInUse,
      fetchNode,
      preempt,
      logger: ports.logger,
    }),
  ];
}
