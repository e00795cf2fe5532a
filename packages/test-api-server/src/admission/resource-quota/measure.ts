import type { PersistentVolumeClaim, Pod, Service } from '@nodeagent/api';
import { isExtendedResource, isHugePages, isTerminalPhase, podLimits, podRequests, Quantity } from '@nodeagent/api/helpers';
import type { ApiObject } from '../../objects.js';
import type { Usage } from './usage.js';

const one = Quantity.of(1);

/** Core resources that a quota counts by their plain name. */
const countedByName = ['configmaps', 'persistentvolumeclaims', 'replicationcontrollers', 'resourcequotas', 'secrets', 'services'];

const measures: Readonly<Record<string, (object: ApiObject) => [string, Quantity][]>> = {
  '/pods': podUsage,
  '/services': serviceUsage,
  '/persistentvolumeclaims': claimUsage,
  'resource.k8s.io/resourceclaims': deviceUsage,
};

/** What an object uses of a quota: Kubernetes documentation, "Resource Quotas". `storage`: its group and resource. */
export function usageOf(storage: string, object: ApiObject): Usage {
  const [group = '', resource = ''] = storage.split('/');
  return new Map([
    [`count/${group ? `${resource}.${group}` : resource}`, one],
    ...(group === '' && countedByName.includes(resource) ? [[resource, one] as [string, Quantity]] : []),
    ...(measures[storage]?.(object) ?? []),
  ]);
}

/** Pods that have terminated use nothing but their place in the store. */
function podUsage(object: ApiObject): [string, Quantity][] {
  const pod = object as Pod;
  if (isTerminalPhase(pod.status?.phase)) return [];
  const usage: [string, Quantity][] = [['pods', one]];
  for (const [resource, amount] of podRequests(pod)) {
    usage.push([`requests.${resource}`, amount]);
    if (!isExtendedResource(resource)) usage.push([resource, amount]);
  }
  for (const [resource, amount] of podLimits(pod)) {
    if (!isHugePages(resource) && !isExtendedResource(resource)) usage.push([`limits.${resource}`, amount]);
  }
  return usage;
}

function serviceUsage(object: ApiObject): [string, Quantity][] {
  const {
    type,
    ports = [],
    allocateLoadBalancerNodePorts,
  } = ((object as Service).spec ?? {}) as {
    type?: string;
    ports?: { nodePort?: number }[];
    allocateLoadBalancerNodePorts?: boolean;
  };
  const hasPorts = type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);
  const nodePorts = hasPorts ? ports.length : ports.filter(({ nodePort }) => type === 'LoadBalancer' && nodePort).length;
  return [
    ['services.nodeports', Quantity.of(nodePorts)],
    ['services.loadbalancers', Quantity.of(type === 'LoadBalancer' ? 1 : 0)],
  ];
}

function claimUsage(object: ApiObject): [string, Quantity][] {
  const { spec, metadata, status } = object as PersistentVolumeClaim;
  const requested = Quantity.parse(spec?.resources?.requests?.storage ?? 0);
  const allocated = Quantity.parse(status?.allocatedResources?.storage ?? 0);
  const storage = allocated.cmp(requested) > 0 ? allocated : requested;
  const storageClass = metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName;
  if (!storageClass) return [['requests.storage', storage]];
  const prefix = `${storageClass}.storageclass.storage.k8s.io`;
  return [
    ['requests.storage', storage],
    [`${prefix}/requests.storage`, storage],
    [`${prefix}/persistentvolumeclaims`, one],
  ];
}

/** What a request with the allocation mode `All` may get at most. */
const maxDevices = 32n;

interface DeviceRequest {
  deviceClassName?: string;
  allocationMode?: string;
  count?: number;
}

/**
 * The devices of each class that a claim may get, of alternatives the most. They count as extended resources too, except for a claim that was created for
 * the extended resources of a pod, which count with the pod.
 */
function deviceUsage({ spec, metadata }: ApiObject): [string, Quantity][] {
  const { devices = {} } = spec as { devices?: { requests?: { exactly?: DeviceRequest; firstAvailable?: DeviceRequest[] }[] } };
  const totals = new Map<string, bigint>();
  for (const { exactly, firstAvailable = [] } of devices.requests ?? []) {
    const most = new Map<string, bigint>();
    for (const { deviceClassName = '', allocationMode = 'ExactCount', count = 1 } of exactly ? [exactly] : firstAvailable) {
      const number = allocationMode === 'All' ? maxDevices : BigInt(count);
      if (number > (most.get(deviceClassName) ?? 0n)) most.set(deviceClassName, number);
    }
    for (const [name, number] of most) totals.set(name, (totals.get(name) ?? 0n) + number);
  }
  const isOfPod = metadata.annotations?.['resource.kubernetes.io/extended-resource-claim'] === 'true';
  return [...totals].flatMap(([name, number]): [string, Quantity][] => [
    [`${name}.deviceclass.resource.k8s.io/devices`, Quantity.of(number)],
    ...(isOfPod ? [] : [[`requests.deviceclass.resource.kubernetes.io/${name}`, Quantity.of(number)] as [string, Quantity]]),
  ]);
}
