import type { ResourceList, ResourceRequirements } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';

/** CPU in millicores and memory in bytes, exact up to 2^53; 0 stands for not set. */
export interface ResourceValues {
  cpuRequest: number;
  cpuLimit: number;
  memoryRequest: number;
  memoryLimit: number;
}

/** The values at any size, for comparisons. */
export type ExactResourceValues = Record<keyof ResourceValues, bigint>;

/** The numbers of a container's or pod's resources; a limit that is not set comes from `defaultLimits`. */
export function resourceValues(resources: ResourceRequirements | undefined, defaultLimits?: ResourceList): ExactResourceValues {
  const { requests, limits } = resources ?? {};
  return {
    cpuRequest: milliCpu(requests?.cpu),
    cpuLimit: milliCpu(limits?.cpu ?? defaultLimits?.cpu),
    memoryRequest: bytes(requests?.memory),
    memoryLimit: bytes(limits?.memory ?? defaultLimits?.memory),
  };
}

export function resourceNumbers({ cpuRequest, cpuLimit, memoryRequest, memoryLimit }: ExactResourceValues): ResourceValues {
  return {
    cpuRequest: Number(cpuRequest),
    cpuLimit: Number(cpuLimit),
    memoryRequest: Number(memoryRequest),
    memoryLimit: Number(memoryLimit),
  };
}

export function sameResourceValues(a: ExactResourceValues, b: ExactResourceValues): boolean {
  return (
    a.cpuRequest === b.cpuRequest && a.cpuLimit === b.cpuLimit && a.memoryRequest === b.memoryRequest && a.memoryLimit === b.memoryLimit
  );
}

const milliCpu = (text: string | undefined) => (text === undefined ? 0n : Quantity.parse(text).milliValue());
const bytes = (text: string | undefined) => (text === undefined ? 0n : Quantity.parse(text).value());
