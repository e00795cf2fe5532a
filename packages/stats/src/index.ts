/**
 * What a node, its pods and their containers use: read from cgroup v1 and v2, /proc, file systems and CRI stats, told as the Summary API
 * and as Prometheus text.
 *
 * @packageDocumentation
 */
export type { CgroupSample, CpuSample, MemorySample } from './cgroup/cgroup-sample.js';
export { type CgroupStats, cgroupStats } from './cgroup/cgroup-stats.js';
export { type KernelFile, kernelFile, unlimited } from './cgroup/kernel-file.js';
export { nanoCores } from './cgroup/rate.js';
export { liveSandboxes, runningContainers, type SandboxEntry } from './cri/live-entries.js';
export { createUsageNanoCores, type UsageNanoCores } from './cri/usage-nano-cores.js';
export { statsErrorCodes } from './errors.js';
export { type EphemeralStorageParts, ephemeralStorage } from './summary/ephemeral-storage.js';
