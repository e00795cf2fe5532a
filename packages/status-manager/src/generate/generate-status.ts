import type { ContainerStatus, PodStatus } from '@nodeagent/api';
import { fieldsWith, ruleOf } from '../field-rules.js';
import { applyProbeResults, type ProbedStatus } from './apply-probe-results.js';
import { type ContainerStatusesInput, convertToApiContainerStatuses } from './container-statuses.js';
import { getPhase } from './get-phase.js';
import { podAddresses } from './pod-ips.js';
import { podHasInitialized, shouldAllContainersRestart } from './restart.js';
import { settlePhase } from './settle-phase.js';
import type { ContainerLists, GenerateStatusInput, StatusFacts } from './status-input.js';

const generatedFields = fieldsWith('generate');

/**
 * The status that a kubelet would report now: Kubernetes documentation, "Pod Lifecycle". The status has no start time and its conditions
 * have no transition times; the status manager sets them from the previous status.
 */
export function generateApiPodStatus(input: GenerateStatusInput): ProbedStatus {
  const { pod, runtimeStatus, podIsTerminal, hostIps = [], probes } = input;
  const oldStatus = input.oldStatus ?? pod.status ?? {};
  const lists = generateContainerStatuses(input, oldStatus);
  const phase = getPhase({
    pod,
    containerStatuses: [...lists.initContainerStatuses, ...lists.containerStatuses],
    podIsTerminal,
    podHasInitialized: podHasInitialized(pod, runtimeStatus),
  });
  const probed = applyProbeResults(pod, lists, probes);
  const facts: StatusFacts = {
    ...input,
    oldStatus,
    settled: settlePhase(phase, oldStatus, input),
    addresses: podAddresses(runtimeStatus.ips, hostIps, pod.spec?.hostNetwork === true),
    containers: { ...lists, ...probed.status },
  };
  const status: PodStatus = {};
  const generate = <F extends keyof PodStatus>(field: F) => {
    const value = ruleOf(field).generate?.(facts);
    if (value !== undefined) status[field] = value;
  };
  generatedFields.forEach(generate);
  return { status, containersToProbe: probed.containersToProbe };
}

function generateContainerStatuses(input: GenerateStatusInput, oldStatus: PodStatus): ContainerLists {
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
