import type { LinuxContainerResources } from '@nodeagent/cri-api';
import { invalidArgument } from '../errors.js';
import type { CgroupFacts, OciMachine } from './machine.js';
import type { OciResources } from './oci-spec.js';

/**
 * The limits of a container as the runtime takes them, at creation and for an update; those of zero are not set. Limits of controllers that
 * the machine does not have are left out, because a runtime would fail. A memory limit is also one of swap, so that the container
 * gets no swap unless the request has a limit for both.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for a limit that the kernel cannot have
 */
export function containerResources(request: LinuxContainerResources, cgroups: CgroupFacts): OciResources {
  const has = (controller: string) => cgroups.controllers.includes(controller);
  const parts: OciResources = {
    memory: has('memory') ? memoryLimits(request, cgroups) : undefined,
    cpu: cpuLimits(request, has('cpu'), has('cpuset')),
    hugepageLimits: has('hugetlb') ? hugepageLimits(request) : undefined,
    unified: cgroups.version === 2 ? unifiedFiles(request, cgroups) : undefined,
  };
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined && Object.keys(part).length > 0));
}

function memoryLimits({ memoryLimitInBytes = 0n, memorySwapLimitInBytes = 0n }: LinuxContainerResources, { hasSwap }: CgroupFacts) {
  const limit = numberOf('memory_limit_in_bytes', memoryLimitInBytes);
  const swap = numberOf('memory_swap_limit_in_bytes', memorySwapLimitInBytes) || limit;
  if (limit > 0 && swap > 0 && swap < limit) {
    throw invalidArgument('memory_swap_limit_in_bytes', `${swap} is memory and swap together, and less than the memory limit ${limit}`);
  }
  return { ...(limit !== 0 && { limit }), ...(hasSwap && swap !== 0 && { swap }) };
}

function cpuLimits(request: LinuxContainerResources, hasCpu: boolean, hasCpuset: boolean) {
  const { cpuShares = 0n, cpuQuota = 0n, cpuPeriod = 0n, cpusetCpus = '', cpusetMems = '' } = request;
  return {
    ...(hasCpu && cpuShares !== 0n && { shares: numberOf('cpu_shares', cpuShares, 0n) }),
    ...(hasCpu && cpuQuota !== 0n && { quota: numberOf('cpu_quota', cpuQuota) }),
    ...(hasCpu && cpuPeriod !== 0n && { period: numberOf('cpu_period', cpuPeriod, 0n) }),
    ...(hasCpuset && cpusetCpus !== '' && { cpus: cpusetCpus }),
    ...(hasCpuset && cpusetMems !== '' && { mems: cpusetMems }),
  };
}

const hugepageLimits = ({ hugepageLimits = [] }: LinuxContainerResources) =>
  hugepageLimits.map(({ pageSize, limit }) => ({ pageSize, limit: numberOf('hugepage_limits', limit, 0n) }));

/** Files of cgroup v2 by name. A name with a slash could be a file of another cgroup. */
function unifiedFiles({ unified = {} }: LinuxContainerResources, { controllers }: CgroupFacts): Record<string, string> {
  const invalid = Object.keys(unified).find((name) => !/^[a-z0-9_]+\.[A-Za-z0-9_.]+$/.test(name));
  if (invalid !== undefined) throw invalidArgument('unified', `"${invalid}" is not the name of a cgroup's file`);
  const isKnown = (name: string) => name.startsWith('cgroup.') || controllers.includes(name.slice(0, name.indexOf('.')));
  return Object.fromEntries(Object.entries(unified).filter(([name]) => isKnown(name)));
}

/** The number, at most the largest that JSON readers keep exactly, which no machine has bytes for. -1 is no limit. */
function numberOf(field: string, value: bigint, min = -1n): number {
  if (value < min) throw invalidArgument(field, `must be at least ${min}, not ${value}`);
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}

/**
 * The OOM score adjustment of a container, raised to the lowest that the agent may set.
 *
 * @throws NodeAgentError CRI_INVALID_ARGUMENT for one that is not from -1000 to 1000
 */
export function oomScoreAdjustment(
  { oomScoreAdj = 0n }: LinuxContainerResources,
  { minOomScoreAdj = -1000 }: Pick<OciMachine, 'minOomScoreAdj'>,
): number {
  if (oomScoreAdj < -1000n || oomScoreAdj > 1000n) {
    throw invalidArgument('oom_score_adj', `must be from -1000 to 1000, not ${oomScoreAdj}`);
  }
  return Math.max(Number(oomScoreAdj), minOomScoreAdj);
}
