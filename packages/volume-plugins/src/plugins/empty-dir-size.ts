import { type EmptyDirVolumeSource, NodeAgentError, type Pod, type ResourceRequirements } from '@nodeagent/api';
import { podLimits, podQosClass, Quantity } from '@nodeagent/api/helpers';
import { volumePluginsErrorCodes } from '../errors.js';

/**
 * Size in bytes of an emptyDir in memory: the node's allocatable memory, lowered to the pod's memory limit if the pod as a whole has
 * one, and to the volume's `sizeLimit`. Kubernetes documentation, "Volumes: emptyDir".
 */
export function memoryVolumeSize(nodeAllocatableMemory: Quantity, { sizeLimit }: EmptyDirVolumeSource, pod: Pod): bigint {
  let size = nodeAllocatableMemory;
  const lowerTo = (limit: Quantity | undefined) => {
    if (limit && limit.sign > 0 && limit.cmp(size) <= 0) size = limit;
  };
  if (isMemoryLimited(pod)) lowerTo(podLimits(pod).get('memory'));
  if (sizeLimit !== undefined) lowerTo(Quantity.parse(sizeLimit));
  return size.value();
}

function isMemoryLimited(pod: Pod): boolean {
  const qos = podQosClass(pod);
  if (qos !== 'Burstable') return qos === 'Guaranteed';
  const { containers, initContainers, resources } = pod.spec ?? {};
  return hasMemoryLimit(resources) || [...(containers ?? []), ...(initContainers ?? [])].every((each) => hasMemoryLimit(each.resources));
}

const hasMemoryLimit = (resources: ResourceRequirements | undefined) => Quantity.parse(resources?.limits?.memory ?? '0').sign > 0;

/** Mount options of an emptyDir in memory. */
export function memoryMountOptions(sizeBytes: bigint, canRefuseSwap: boolean): string[] {
  return [...(sizeBytes > 0n ? [`size=${sizeBytes}`] : []), ...(canRefuseSwap ? ['noswap'] : [])];
}

const hugePages = 'HugePages';
const requestPrefix = 'hugepages-';

/** Mount option of an emptyDir of huge pages: the page size, which a container must request. Throws `UnsupportedVolume`. */
export function hugePagesMountOption(medium: string, pod: Pod): string {
  const wanted = medium === hugePages ? undefined : Quantity.parse(medium.slice(hugePages.length + 1));
  let found: Quantity | undefined;
  const { containers, initContainers, resources } = pod.spec ?? {};
  for (const { requests } of [resources, ...[...(containers ?? []), ...(initContainers ?? [])].map((each) => each.resources)].map(
    (each) => each ?? {},
  )) {
    for (const name of Object.keys(requests ?? {})) {
      if (!name.startsWith(requestPrefix)) continue;
      const size = Quantity.parse(name.slice(requestPrefix.length));
      if (wanted && size.cmp(wanted) !== 0) continue;
      if (found && found.cmp(size) !== 0) {
        throw unsupported(`medium: ${medium} can't be used if container requests multiple huge page sizes`);
      }
      found = size;
    }
  }
  if (!found) throw unsupported(`medium ${medium}: hugePages storage requested, but there is no resource request for huge pages`);
  return `pagesize=${found}`;
}

function unsupported(message: string): NodeAgentError {
  return new NodeAgentError(volumePluginsErrorCodes.unsupportedVolume, message);
}
