import { type ContainerStats, type FsStats, NodeAgentError, type NodeStats } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import type { CgroupReader } from '../cgroup/cgroup-reader.js';
import { cgroupStats } from '../cgroup/cgroup-stats.js';
import type { Sampler } from '../cgroup/sampler.js';
import { statsErrorCodes } from '../errors.js';
import { networkStats } from '../summary/network.js';

export interface NodeMeasurement {
  nodeName: string;
  reader: CgroupReader;
  sampler: Sampler;
  systemContainers: readonly { name: string; paths: readonly string[] }[];
}

/** The usage of the node, without its file systems. Throws `CgroupUnreadable` if its CPU or memory is unavailable. */
export function measureNode({ nodeName, reader, sampler, systemContainers }: NodeMeasurement): NodeStats {
  const root = sampler.sample('/');
  if (root?.sample.memory === undefined || root.sample.cpu === undefined) {
    throw new NodeAgentError(statsErrorCodes.cgroupUnreadable, 'cannot read the root cgroup', { retryable: true });
  }
  const { sample, usageNanoCores } = root;
  const { cpu, memory, swap, io } = cgroupStats(sample, usageNanoCores);
  const time = formatTime(sample.time);
  const interfaces = reader.interfaces();
  return {
    nodeName,
    systemContainers: systemContainers.flatMap(({ name, paths }) => systemContainer(name, paths, { reader, sampler })),
    startTime: formatTime(reader.bootTime() ?? 0),
    cpu,
    memory,
    io,
    network: interfaces && networkStats(time, interfaces),
    rlimit: { time, ...reader.processLimits() },
    swap,
  };
}

/** The first existing cgroup. */
function systemContainer(
  name: string,
  paths: readonly string[],
  { reader, sampler }: Pick<NodeMeasurement, 'reader' | 'sampler'>,
): ContainerStats[] {
  for (const path of paths) {
    const rated = sampler.sample(path);
    if (rated === undefined) continue;
    const { cpu, memory, swap } = cgroupStats(rated.sample, rated.usageNanoCores);
    return [{ name, startTime: formatTime(reader.createdAt(path) ?? 0), cpu, memory, swap }];
  }
  return [];
}

/** Adds the file system measurements. */
export function withFileSystems(
  node: NodeStats,
  { fs, imageFs, containerFs }: { fs?: FsStats; imageFs?: FsStats; containerFs?: FsStats },
): NodeStats {
  return { ...node, fs, runtime: imageFs && { imageFs, containerFs } };
}
