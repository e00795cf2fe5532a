import { CpuSet, Quantity } from '@nodeagent/api';
import { isGateEnabled } from '../feature-gates.js';
import type { KubeletConfiguration } from '../fields.js';
import { nanosOf, oneOf, type Problems, second } from './problems.js';

const topologyPolicies = ['none', 'best-effort', 'restricted', 'single-numa-node'];
const topologyScopes = ['container', 'pod'];

export function validateTopology(
  { topologyManagerPolicy: policy = '', topologyManagerScope: scope = '' }: KubeletConfiguration,
  problems: Problems,
): void {
  problems.check(
    topologyPolicies.includes(policy),
    `topologyManagerPolicy (--topology-manager-policy) "${policy}" must be one of: [${topologyPolicies.map((each) => `"${each}"`).join(' ')}]`,
  );
  problems.check(
    topologyScopes.includes(scope),
    `topologyManagerScope (--topology-manager-scope) "${scope}" must be one of: "container", or "pod"`,
  );
}

const enforcements = ['pods', 'system-reserved', 'system-reserved-compressible', 'kube-reserved', 'kube-reserved-compressible', 'none'];

/** What of node allocatable is enforced, and by which cgroups. */
export function validateEnforceNodeAllocatable(config: KubeletConfiguration, problems: Problems): void {
  const { enforceNodeAllocatable: enforced = [], cgroupsPerQOS } = config;
  const flag = 'enforceNodeAllocatable (--enforce-node-allocatable)';
  const seen = new Set<string>();
  const reserved = (kind: 'system' | 'kube', cgroup: string | undefined) =>
    problems.check(
      Boolean(cgroup),
      `${kind}ReservedCgroup (--${kind}-reserved-cgroup) must be specified when "${kind}-reserved" or "${kind}-reserved-compressible" included in ${flag}`,
    );
  for (const kind of ['system-reserved', 'kube-reserved'])
    problems.check(
      !(enforced.includes(kind) && enforced.includes(`${kind}-compressible`)),
      `both "${kind}" and "${kind}-compressible" cannot be specified together in ${flag}`,
    );
  for (const name of enforced) {
    if (seen.has(name)) {
      problems.check(false, `duplicated enforcements "${name}" in ${flag}`);
      continue;
    }
    seen.add(name);
    if (name.startsWith('system-reserved') && enforcements.includes(name)) reserved('system', config.systemReservedCgroup);
    else if (name.startsWith('kube-reserved') && enforcements.includes(name)) reserved('kube', config.kubeReservedCgroup);
    else if (name === 'none') {
      problems.check(enforced.length === 1, `${flag} may not contain additional enforcements when "none" is specified`);
      continue;
    } else
      problems.check(enforcements.includes(name), `option "${name}" specified for ${flag}. Valid options are ${oneOf(enforcements, 'or')}`);
    problems.check(cgroupsPerQOS === true, `cgroupsPerQOS (--cgroups-per-qos) must be set to true when "${name}" contained in ${flag}`);
  }
}

/** CPUs for what is no pod. */
export function validateReservedCpus(config: KubeletConfiguration, problems: Problems): void {
  const { reservedSystemCPUs: cpus } = config;
  if (!cpus) return;
  problems.check(
    !config.systemReservedCgroup && !config.kubeReservedCgroup,
    "can't use reservedSystemCPUs (--reserved-cpus) with systemReservedCgroup (--system-reserved-cgroup) or kubeReservedCgroup (--kube-reserved-cgroup)",
  );
  const problem = cpuListProblem(cpus);
  problems.check(problem === undefined, `unable to parse reservedSystemCPUs (--reserved-cpus) ${cpus}, error: ${problem}`);
}

function cpuListProblem(text: string): string | undefined {
  for (const range of text.split(',')) {
    const [first = '', last = first] = range.split('-', 2);
    const wrong = [first, last].find((number) => !/^[+-]?[0-9]+$/.test(number));
    if (wrong !== undefined) return `strconv.Atoi: parsing "${wrong}": invalid syntax`;
    if (Number(first) > Number(last)) return `invalid range "${range}" (${Number(first)} > ${Number(last)})`;
  }
  try {
    CpuSet.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Memory that the memory manager keeps back on each NUMA node. */
export function validateReservedMemory({ reservedMemory = [] }: KubeletConfiguration, problems: Problems): void {
  const seen = new Set<string>();
  for (const { numaNode = 0, limits = {} } of reservedMemory) {
    for (const [resource, limit] of Object.entries(limits)) {
      if (resource !== 'memory' && !resource.startsWith('hugepages-')) {
        problems.check(
          false,
          `the limit type "${resource}" for NUMA node ${numaNode} is not supported, only [memory hugepages-<HugePageSize>] is accepted`,
        );
      }
      const of = `for NUMA node ${numaNode} and resource "${resource}"`;
      problems.check(!seen.has(of), `the reserved memory has a duplicate value ${of}`);
      seen.add(of);
      problems.check(Quantity.parse(limit).cmp(Quantity.parse('0')) !== 0, `reserved memory may not be zero ${of}`);
    }
  }
}

export function validateMemoryQos(config: KubeletConfiguration, problems: Problems): void {
  const { memoryThrottlingFactor: factor, memoryReservationPolicy: policy = '' } = config;
  problems.check(
    factor === undefined || (factor > 0 && factor <= 1),
    `memoryThrottlingFactor ${factor} must be greater than 0 and less than or equal to 1.0`,
  );
  problems.check(
    ['None', 'TieredReservation'].includes(policy),
    `option "${policy}" specified for memoryReservationPolicy. Valid options are "None" or "TieredReservation"`,
  );
  problems.check(
    policy !== 'TieredReservation' || isGateEnabled(config.featureGates, 'MemoryQoS'),
    'memoryReservationPolicy "TieredReservation" requires MemoryQoS feature gate to be enabled',
  );
}

const swapBehaviors = ['', 'LimitedSwap', 'NoSwap'];

export function validateSwap({ memorySwap }: KubeletConfiguration, problems: Problems): void {
  const { swapBehavior = '' } = memorySwap ?? {};
  problems.check(
    swapBehaviors.includes(swapBehavior),
    `memorySwap.swapBehavior "${swapBehavior}" must be one of: ${oneOf(swapBehaviors, 'or')}`,
  );
}

/** Ids that each pod with a user namespace gets. */
export function validateUserNamespaces({ userNamespaces }: KubeletConfiguration, problems: Problems): void {
  const { idsPerPod } = userNamespaces ?? {};
  if (idsPerPod === undefined) return;
  if (idsPerPod < 65_536) problems.check(false, 'userNamespaces.idsPerPod must not be less than 65536');
  else if (idsPerPod % 65_536 !== 0) problems.check(false, 'userNamespaces.idsPerPod must be a multiple of 65536');
  else problems.check(idsPerPod <= 4_294_967_295, 'userNamespaces.idsPerPod must not be more than 4294967295');
}

export function validateRestartPeriod(config: KubeletConfiguration, problems: Problems): void {
  const { maxContainerRestartPeriod: period } = config.crashLoopBackOff ?? {};
  if (period === undefined || !isGateEnabled(config.featureGates, 'KubeletCrashLoopBackOffMax')) return;
  const nanos = nanosOf(period);
  problems.check(
    nanos >= second && nanos <= 300n * second,
    `CrashLoopBackOff.MaxContainerRestartPeriod (got: ${Number(nanos) / 1e9} seconds) must be set between 1s and 300s`,
  );
}
