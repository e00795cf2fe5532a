import {
  type ContainerStatus,
  findPodCondition,
  isTerminalPhase,
  type Pod,
  type PodCondition,
  type PodRuntimeStatus,
  type PodStatus,
  type ProbeView,
  podQosClass,
  replaceOrAppendCondition,
} from '@nodeagent/api';
import { disruptionTarget, isKubeletCondition, podCondition, podConditions } from '../conditions.js';
import { activeDeadlineExceeded, type EvictHandler } from './active-deadline.js';
import { applyProbeResults, type ProbedStatus } from './apply-probe-results.js';
import { type ContainerStatusesInput, convertToApiContainerStatuses } from './container-statuses.js';
import { getPhase } from './get-phase.js';
import {
  generateAllContainersRestartingCondition,
  generatePodInitializedCondition,
  generatePodReadyToStartContainersCondition,
} from './pod-conditions.js';
import { podAddresses } from './pod-ips.js';
import type { PodResources } from './pod-resources.js';
import { generateContainersReadyCondition, generatePodReadyCondition } from './ready-conditions.js';
import { hasRestartAllContainersRule, podHasInitialized, shouldAllContainersRestart } from './restart.js';

/** Inputs of a pod's status, which are not changed. The status shares parts of them. */
export interface GenerateStatusInput
  extends Pick<ContainerStatusesInput, 'runtimeName' | 'waitingReasons' | 'allocatedResources' | 'supportsRecursiveReadOnly'> {
  pod: Pod;
  /** The runtime's status of the pod. */
  runtimeStatus: Pick<PodRuntimeStatus, 'ips' | 'containerStatuses' | 'activeContainerStatuses' | 'sandboxStatuses'>;
  /** The status manager's last status of the pod. Default: `pod.status`. */
  oldStatus?: PodStatus | undefined;
  /** Whether the pod's worker has terminated it, so that no container will start. */
  podIsTerminal: boolean;
  /** Wall-clock time in milliseconds. */
  now: number;
  /** The probes' results. Default: no container has probes. */
  probes?: ProbeView | undefined;
  /** Handlers that may terminate the pod; the first that does gives reason and message. Default: the active deadline. */
  evictHandlers?: readonly EvictHandler[] | undefined;
  /** The node's addresses, the primary family's first. Default: none, as on a node without API server. */
  hostIps?: readonly string[] | undefined;
  /** `PodResizePending` and `PodResizeInProgress`, where they apply. */
  resizeConditions?: readonly PodCondition[] | undefined;
  /** The health of devices by container (KEP-4680). */
  resourceHealth?: Readonly<Record<string, unknown[]>> | undefined;
  /** The actual and allocated pod-level resources (KEP-5419); not reported if absent. */
  podResources?: Partial<PodResources> | undefined;
}

/**
 * The status that a kubelet would report now: Kubernetes documentation, "Pod Lifecycle". The status has no start time and its conditions
 * have no transition times; the status manager sets them from the previous status.
 */
export function generateApiPodStatus(input: GenerateStatusInput): ProbedStatus {
  const { pod, runtimeStatus, podIsTerminal } = input;
  const oldStatus = input.oldStatus ?? pod.status ?? {};
  const lists = generateContainerStatuses(input, oldStatus);
  const phase = getPhase({
    pod,
    containerStatuses: [...lists.initContainerStatuses, ...lists.containerStatuses],
    podIsTerminal,
    podHasInitialized: podHasInitialized(pod, runtimeStatus),
  });
  const hostNetwork = pod.spec?.hostNetwork === true;
  const { resources, allocatedResources } = input.podResources ?? {};
  const generated: PodStatus = {
    ...(pod.metadata?.generation && { observedGeneration: pod.metadata.generation }),
    ...settlePhase(phase, oldStatus, input),
    ...podAddresses(runtimeStatus.ips, input.hostIps ?? [], hostNetwork),
    qosClass: podQosClass(pod),
    ...(lists.initContainerStatuses.length > 0 && { initContainerStatuses: lists.initContainerStatuses }),
    containerStatuses: lists.containerStatuses,
    ...(lists.ephemeralContainerStatuses.length > 0 && { ephemeralContainerStatuses: lists.ephemeralContainerStatuses }),
    ...(resources && { resources }),
    ...(allocatedResources && { allocatedResources }),
  };
  const { status, containersToProbe } = applyProbeResults(pod, generated, input.probes);
  status.conditions = generateConditions(input, oldStatus, status);
  return { status, containersToProbe };
}

function generateContainerStatuses(input: GenerateStatusInput, oldStatus: PodStatus) {
  const { pod, runtimeStatus, runtimeName, waitingReasons, allocatedResources, supportsRecursiveReadOnly, resourceHealth } = input;
  const runtimeStatuses = runtimeStatus.containerStatuses;
  const podRestarting = shouldAllContainersRestart(pod, runtimeStatuses, oldStatus);
  const convert = (field: ContainerStatusesInput['field'], oldStatuses: readonly ContainerStatus[] | undefined) => {
    if (!pod.spec?.[field]?.length) return [];
    const statuses = convertToApiContainerStatuses({
      pod,
      field,
      runtimeStatuses,
      oldStatuses,
      runtimeName,
      podRestarting,
      waitingReasons,
      allocatedResources,
      supportsRecursiveReadOnly,
    });
    if (resourceHealth === undefined) return statuses;
    return statuses.map((status) => {
      const health = resourceHealth[status.name];
      return health ? { ...status, allocatedResourcesStatus: health } : status;
    });
  };
  return {
    initContainerStatuses: convert('initContainers', oldStatus.initContainerStatuses),
    containerStatuses: convert('containers', oldStatus.containerStatuses),
    ephemeralContainerStatuses: convert('ephemeralContainers', oldStatus.ephemeralContainerStatuses),
  };
}

/** The reported phase: a terminal phase never changes, and evict handlers can set Failed. */
function settlePhase(
  computed: string,
  oldStatus: PodStatus,
  { pod, now, evictHandlers = [activeDeadlineExceeded], oldStatus: cached }: GenerateStatusInput,
): Pick<PodStatus, 'phase' | 'reason' | 'message'> {
  const settled: Pick<PodStatus, 'phase' | 'reason' | 'message'> = { phase: computed };
  if (!isTerminalPhase(computed)) {
    settled.phase = [oldStatus.phase, pod.status?.phase].find(isTerminalPhase) ?? computed;
  }
  if (settled.phase === oldStatus.phase) {
    const reason = oldStatus.reason || pod.status?.reason;
    const message = oldStatus.message || pod.status?.message;
    if (reason) settled.reason = reason;
    if (message) settled.message = message;
  }
  for (const handler of evictHandlers) {
    const eviction = handler(pod, cached, now);
    if (eviction === undefined) continue;
    Object.assign(settled, { phase: 'Failed', reason: eviction.reason, message: eviction.message });
    break;
  }
  if (isTerminalPhase(pod.status?.phase)) settled.phase = pod.status?.phase;
  return settled;
}

function generateConditions(input: GenerateStatusInput, oldStatus: PodStatus, status: PodStatus): PodCondition[] {
  const { pod, runtimeStatus, resizeConditions = [] } = input;
  const { phase = '', initContainerStatuses = [], containerStatuses = [] } = status;
  const generation = pod.metadata?.generation;
  const all = [...initContainerStatuses, ...containerStatuses];
  const known = { pod, phase, containerStatuses: all.length > 0 ? all : undefined };

  let conditions = pod.status?.conditions?.filter(({ type }) => !isKubeletCondition(type)) ?? [];
  if (!isTerminalPhase(phase)) conditions.push(...resizeConditions);
  const disruption = findPodCondition(oldStatus, disruptionTarget);
  if (disruption) conditions = replaceOrAppendCondition(conditions, disruption);
  conditions.push(generatePodReadyToStartContainersCondition(pod, runtimeStatus));
  conditions.push(generatePodInitializedCondition({ ...known, oldStatus }));
  conditions.push(generatePodReadyCondition({ ...known, conditions }));
  conditions.push(generateContainersReadyCondition(known));
  conditions.push(podCondition(podConditions.podScheduled, true, generation));
  if (hasRestartAllContainersRule(pod)) {
    const runtimeStatuses = runtimeStatus.containerStatuses;
    conditions.push(generateAllContainersRestartingCondition({ pod, runtimeStatuses, oldStatus, phase }));
  }
  return conditions;
}
