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

/** Everything that a pod's status follows from. Nothing in it is changed; the status shares parts of it. */
export interface GenerateStatusInput
  extends Pick<ContainerStatusesInput, 'runtimeName' | 'waitingReasons' | 'allocatedResources' | 'supportsRecursiveReadOnly'> {
  pod: Pod;
  /** What the runtime has of the pod. */
  runtimeStatus: Pick<PodRuntimeStatus, 'ips' | 'containerStatuses' | 'activeContainerStatuses' | 'sandboxStatuses'>;
  /** The status manager's last status of the pod; without it `pod.status` counts. */
  oldStatus?: PodStatus | undefined;
  /** The pod's worker has ended it: nothing will be started any more. */
  podIsTerminal: boolean;
  /** Clock time in milliseconds. */
  now: number;
  /** The probes' results. Default: no container has probes. */
  probes?: ProbeView | undefined;
  /** Who may end the pod; the first that does gives reason and message. Default: the active deadline. */
  evictHandlers?: readonly EvictHandler[] | undefined;
  /** The node's addresses, the one of its primary family first. Default none: a node without API server reports none. */
  hostIps?: readonly string[] | undefined;
  /** `PodResizePending` and `PodResizeInProgress`, where they apply. */
  resizeConditions?: readonly PodCondition[] | undefined;
  /** By container: the health of its devices (KEP-4680). */
  resourceHealth?: Readonly<Record<string, unknown[]>> | undefined;
  /** The pod's resources as a whole, in force and allocated (KEP-5419); not reported if absent. */
  podResources?: Partial<PodResources> | undefined;
}

/**
 * The status that a kubelet would report now: Kubernetes documentation, "Pod Lifecycle". Conditions carry no transition times and the
 * status no start time: the status manager sets them, since it knows what was reported before.
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

/** The phase that is reported: a pod never leaves a terminal one, and whoever may end it has a say. */
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
