import type { Container, Pod, ResourceList, ResourceRequirements } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';

/** The allocated resources of one pod. */
export interface PodAllocation {
  /** Resources of regular and init containers, by name. */
  containers: Readonly<Record<string, ResourceRequirements>>;
  /** Pod-level resources, if the pod has any. */
  pod?: ResourceRequirements;
}

/** Allocations by pod UID. */
export type Allocations = Readonly<Record<string, PodAllocation>>;

/** The requested resources of the pod's spec as an allocation. */
export function allocationOf({ spec }: Pod): PodAllocation {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return {
    containers: Object.fromEntries(containers.map(({ name, resources }) => [name, resources ?? {}])),
    ...(spec?.resources && { pod: spec.resources }),
  };
}

/**
 * The pod with its allocated resources in place of the requested ones. The same object if they do not differ. KEP-1287, "Resource States".
 */
export function updatePodFromAllocation(pod: Pod, allocation: PodAllocation): Pod {
  const { spec } = pod;
  if (spec === undefined) return pod;
  const containers = grantedContainers(spec.containers, allocation);
  const initContainers = spec.initContainers && grantedContainers(spec.initContainers, allocation);
  const samePodLevel = sameResources(spec.resources, allocation.pod);
  if (containers === spec.containers && initContainers === spec.initContainers && samePodLevel) return pod;
  const { resources: _wanted, ...rest } = spec;
  const resources = samePodLevel ? spec.resources : allocation.pod;
  return { ...pod, spec: { ...rest, containers, ...(initContainers && { initContainers }), ...(resources && { resources }) } };
}

/** Returns the same list if no container differs. Called for each pod of the node at each admission. */
function grantedContainers(containers: Container[], { containers: allocated }: PodAllocation): Container[] {
  const isGranted = ({ name, resources }: Container) => allocated[name] === undefined || sameResources(resources, allocated[name]);
  if (containers.every(isGranted)) return containers;
  return containers.map((container) => {
    const resources = allocated[container.name];
    return resources === undefined || isGranted(container) ? container : { ...container, resources };
  });
}

/** Whether requests and limits are equal amounts, regardless of their notation. */
function sameResources(a: ResourceRequirements | undefined, b: ResourceRequirements | undefined): boolean {
  return a === b || (sameAmounts(a?.requests, b?.requests) && sameAmounts(a?.limits, b?.limits));
}

function sameAmounts(a: ResourceList | undefined, b: ResourceList | undefined): boolean {
  if (a === b) return true;
  const names = Object.keys(a ?? {});
  return names.length === Object.keys(b ?? {}).length && names.every((name) => sameAmount(a?.[name], b?.[name]));
}

function sameAmount(a: string | undefined, b: string | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && Quantity.parse(a).equals(Quantity.parse(b)));
}
