import type { ContainerStatus, ResourceList, ResourceRequirements, RuntimeContainerStatus } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';

/** Milliseconds of CPU time in 100 ms below which a quota cannot go. */
const smallestMilliCpuLimit = 10;
/** The smallest number of CPU shares. */
const smallestMilliCpuRequest = 2;

/**
 * A container's actual resources: the allocated ones, overwritten with those that the runtime reports for a running container. An amount
 * that the runtime does not report keeps its last value as long as the same instance runs. KEP-1287. Shares `allocated` if nothing differs.
 */
export function resourcesInForce(
  allocated: ResourceRequirements,
  runtime: RuntimeContainerStatus,
  containerId: string,
  old: ContainerStatus | undefined,
): ResourceRequirements {
  if (runtime.state !== 'running') return allocated;
  const reported = runtime.resources;
  const previous = old?.state?.running && old.containerID === containerId ? old.resources : undefined;
  const limits =
    allocated.limits &&
    overwrite(
      allocated.limits,
      cpuInForce(reported?.cpuLimit, allocated.limits.cpu, previous?.limits?.cpu, smallestMilliCpuLimit),
      memoryInForce(reported?.memoryLimit, previous?.limits?.memory),
    );
  const requests =
    allocated.requests &&
    overwrite(
      allocated.requests,
      cpuInForce(reported?.cpuRequest, allocated.requests.cpu, previous?.requests?.cpu, smallestMilliCpuRequest),
      memoryInForce(reported?.memoryRequest, previous?.requests?.memory),
    );
  if (limits === allocated.limits && requests === allocated.requests) return allocated;
  return { ...allocated, ...(limits && { limits }), ...(requests && { requests }) };
}

/** Undefined if the allocated amount is kept, because the kernel rounds amounts below its minimum to the same value. */
function cpuInForce(
  reported: number | undefined,
  allocated: string | undefined,
  previous: string | undefined,
  smallest: number,
): string | undefined {
  if (reported === undefined) return previous;
  const bothTiny = reported <= smallest && (allocated === undefined || Quantity.parse(allocated).milliValue() <= BigInt(smallest));
  return bothTiny ? undefined : Quantity.ofMilli(reported).toString();
}

function memoryInForce(reported: bigint | undefined, previous: string | undefined): string | undefined {
  return reported === undefined ? previous : Quantity.of(reported, 'BinarySI').toString();
}

function overwrite(allocated: ResourceList, cpu = allocated.cpu, memory = allocated.memory): ResourceList {
  if (cpu === allocated.cpu && memory === allocated.memory) return allocated;
  return { ...allocated, ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) };
}
