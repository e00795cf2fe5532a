import type { Pod } from '@nodeagent/api';
import {
  formatResourceList,
  isCriticalPod,
  milliCpuToQuota,
  milliCpuToShares,
  podLimits,
  podQosClass,
  podRequests,
  resourceRequest,
} from '@nodeagent/api/helpers';
import { quotaToMilliCpu, sharesToMilliCpu } from '@nodeagent/runtime-manager/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';

interface CpuConversionInput {
  milliCPU: number;
  periodUs?: number;
  readQuota?: number;
  readShares?: number;
  periodMicroseconds?: number;
  quotaMicroseconds?: number;
  shares?: number;
}

/** Recorded in two shapes, told apart by the name of the period. */
function cpuConversions(input: CpuConversionInput) {
  const { milliCPU, periodMicroseconds, periodUs } = input;
  if (periodMicroseconds === undefined) {
    return {
      shares: milliCpuToShares(milliCPU),
      quota: milliCpuToQuota(milliCPU, periodUs),
      sharesToMilliCPU: sharesToMilliCpu(input.readShares ?? 0),
      quotaToMilliCPU: quotaToMilliCpu(input.readQuota ?? 0, periodUs),
    };
  }
  return {
    milliCPUToShares: milliCpuToShares(milliCPU),
    milliCPUToQuota: milliCpuToQuota(milliCPU, periodMicroseconds),
    sharesToMilliCPU: sharesToMilliCpu(input.shares ?? 0),
    quotaToMilliCPU: quotaToMilliCpu(input.quotaMicroseconds ?? 0, periodMicroseconds),
  };
}

function qosAndResources({ pod }: { pod: Pod }) {
  const requests = podRequests(pod);
  const request = (name: string) => resourceRequest(pod, name).toString();
  return {
    qosClass: podQosClass(pod),
    requests: formatResourceList(requests),
    requestsNoOverhead: formatResourceList(podRequests(pod, { excludeOverhead: true })),
    requestsContainersOnly: formatResourceList(podRequests(pod, { skipPodLevelResources: true })),
    limits: formatResourceList(podLimits(pod)),
    critical: isCriticalPod(pod),
    evictionRequest: { memory: request('memory'), 'ephemeral-storage': request('ephemeral-storage'), cpu: request('cpu') },
  };
}

export const apiResourcesAdapters: Adapter[] = [
  defineAdapter('cpu-conversions', cpuConversions),
  defineAdapter('pod-qos-and-resources', qosAndResources),
];
