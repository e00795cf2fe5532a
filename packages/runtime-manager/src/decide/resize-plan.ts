import type { Pod, ResourceRequirements } from '@nodeagent/api';
import { podRequests } from '@nodeagent/api/helpers';
import type { LinuxContainerResources } from '@nodeagent/cri-api';
import { type LinuxResourceSettings, linuxPodResources } from '../config/linux-resources.js';
import { appliedResources } from '../sync/actuated-resources.js';
import type { PodActions, ResizableResource } from './pod-actions.js';

/** Input of {@link planPodResize}. */
export interface PodResizeInput {
  pod: Pod;
  actions: Pick<PodActions, 'containersToUpdate' | 'updatePodResources' | 'updatePodLevelResources'>;
  /** The resources last applied to each container, by name. */
  actuated: ReadonlyMap<string, ResourceRequirements>;
  /** The pod-level resources last applied. */
  actuatedPod?: ResourceRequirements | undefined;
  settings: LinuxResourceSettings;
}

/** One step of an in-place resize. */
export type ResizeStep =
  /** The pod's cgroup: the values after this step. */
  | { action: 'updatePod'; resource: ResizableResource; bound: 'limit' | 'request'; resources: LinuxContainerResources }
  /** One container: its requests and limits after this step. */
  | { action: 'updateContainer'; resource: ResizableResource; id: string; name: string; resources: ResourceRequirements };

/**
 * The steps of an in-place resize, memory before CPU. The pod's limit and request increase before those of its containers and decrease
 * after them, so that containers always fit into their pod. KEP-1287, "Resize CPU and Memory Resources assigned to Containers".
 */
export function planPodResize(input: PodResizeInput): ResizeStep[] {
  const { pod, actions } = input;
  const actuatedPod = actuatedPodOf(input);
  const wanted = linuxPodResources(pod, input.settings);
  let inForce = linuxPodResources(actuatedPod, input.settings);
  const memoryRequests = input.settings.memoryQos && { from: memoryRequestOf(actuatedPod), to: memoryRequestOf(pod) };
  const touchesPod = actions.updatePodResources || actions.updatePodLevelResources;

  const steps: ResizeStep[] = [];
  for (const resource of ['memory', 'cpu'] as const) {
    const updates = actions.containersToUpdate[resource] ?? [];
    if (updates.length === 0 && !touchesPod) continue;
    const changes = podChanges(resource, inForce, wanted, memoryRequests);
    const updatePod = ({ bound, values }: PodChange) => {
      inForce = { ...inForce, ...values };
      steps.push({ action: 'updatePod', resource, bound, resources: inForce });
    };
    for (const change of changes) if (change.grows) updatePod(change);
    for (const { id, name } of updates) {
      steps.push({ action: 'updateContainer', resource, id, name, resources: resizedContainer(input, name, resource) });
    }
    for (const change of changes.reverse()) if (!change.grows) updatePod(change);
  }
  return steps;
}

/** The pod with the resources last applied. */
export function actuatedPodOf({ pod, actuated, actuatedPod }: Pick<PodResizeInput, 'pod' | 'actuated' | 'actuatedPod'>): Pod {
  const { spec } = pod;
  if (!spec) return pod;
  const { resources: _wanted, ...rest } = spec;
  const apply = <C extends { name: string; resources?: ResourceRequirements }>(container: C): C => {
    const resources = actuated.get(container.name);
    return resources ? { ...container, resources } : container;
  };
  const containers = spec.containers.map(apply);
  const initContainers = spec.initContainers?.map(apply);
  return {
    ...pod,
    spec: { ...rest, containers, ...(initContainers && { initContainers }), ...(actuatedPod && { resources: actuatedPod }) },
  };
}

interface PodChange {
  bound: 'limit' | 'request';
  grows: boolean;
  values: LinuxContainerResources;
}

const memoryRequestOf = (pod: Pod) => podRequests(pod).get('memory')?.value() ?? 0n;

/** The changes of the pod-level values, the limit first. A memory request is a cgroup value with MemoryQoS only. */
function podChanges(
  resource: ResizableResource,
  from: LinuxContainerResources,
  to: LinuxContainerResources,
  memoryRequests: { from: bigint; to: bigint } | undefined,
): PodChange[] {
  const changes: PodChange[] = [];
  const compare = (bound: PodChange['bound'], before: bigint, after: bigint, values: LinuxContainerResources) => {
    if (before !== after) changes.push({ bound, grows: bound === 'limit' ? isHigherLimit(after, before) : after > before, values });
  };
  if (resource === 'memory') {
    const limit = to.memoryLimitInBytes ?? 0n;
    compare('limit', from.memoryLimitInBytes ?? 0n, limit, { memoryLimitInBytes: limit });
    if (memoryRequests) compare('request', memoryRequests.from, memoryRequests.to, {});
  } else {
    compare('limit', from.cpuQuota ?? 0n, to.cpuQuota ?? 0n, {
      ...(to.cpuPeriod !== undefined && { cpuPeriod: to.cpuPeriod }),
      ...(to.cpuQuota !== undefined && { cpuQuota: to.cpuQuota }),
    });
    compare('request', from.cpuShares ?? 0n, to.cpuShares ?? 0n, { cpuShares: to.cpuShares ?? 0n });
  }
  return changes;
}

/** 0 means no limit. */
const isHigherLimit = (a: bigint, b: bigint) => b !== 0n && (a === 0n || a > b);

/** The container's resources after the step: the memory step keeps the previous CPU values. */
function resizedContainer({ pod, actuated }: PodResizeInput, name: string, resource: ResizableResource): ResourceRequirements {
  const container = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].find((each) => each.name === name);
  const wanted = appliedResources(pod, container ?? {});
  if (resource === 'cpu') return wanted;
  const before = actuated.get(name);
  const keepCpu = (field: 'requests' | 'limits') => {
    const { cpu: _wanted, ...rest } = wanted[field] ?? {};
    const cpu = before?.[field]?.cpu;
    const list = { ...rest, ...(cpu !== undefined && { cpu }) };
    return Object.keys(list).length > 0 ? { [field]: list } : {};
  };
  return { ...keepCpu('requests'), ...keepCpu('limits') };
}
