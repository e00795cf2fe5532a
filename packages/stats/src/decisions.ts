/**
 * Pure functions of stats: parsing files of cgroups and /proc, selecting containers and sandboxes, and summing up pods.
 *
 * @packageDocumentation
 */

export { containerIdOfCgroup, podUidOfCgroup } from './cgroup/cgroup-names.js';
export { type CgroupStats, cgroupStats } from './cgroup/cgroup-stats.js';
export { type KernelFile, kernelFile, unlimited } from './cgroup/kernel-file.js';
export { parseCpuV2 } from './cgroup/parse-cpu.js';
export { type MemoryStat, memorySample, parseMemoryStatV1, parseMemoryStatV2 } from './cgroup/parse-memory.js';
export { parseMeminfo, parseNetDev } from './cgroup/proc-files.js';
export { parsePsi } from './cgroup/psi.js';
export { nanoCores } from './cgroup/rate.js';
export { liveSandboxes, runningContainers, type SandboxEntry } from './cri/live-entries.js';
export { createUsageNanoCores, type UsageNanoCores } from './cri/usage-nano-cores.js';
export { type EphemeralStorageParts, ephemeralStorage } from './summary/ephemeral-storage.js';
export {
  type ContainerEntry,
  type CriListing,
  entriesOfPods,
  entriesOfRuntime,
  entriesOfSandboxStats,
  type PodEntry,
} from './summary/pod-entries.js';
export { type PodMeasurements, podStats } from './summary/pod-stats.js';
export { podSums } from './summary/pod-sums.js';
