import { CpuSet, maxContainerBackOffMs, Quantity, quoteText } from '@nodeagent/api/helpers';
import { isGateEnabled } from '../feature-gates.js';
import type { KubeletConfiguration } from '../fields.js';
import { formatFloat } from './format.js';
import { type ConfigurationProblems, nanosOf, oneOf } from './problems.js';

const topologyPolicies = ['none', 'best-effort', 'restricted', 'single-numa-node'];
const topologyScopes = ['container', 'pod'];

export function validateTopology(
  { topologyManagerPolicy: policy = '', topologyManagerScope: scope = '' }: KubeletConfiguration,
  problems: ConfigurationProblems,
): void {
  problems.check(
    topologyPolicies.includes(policy),
    `topologyManagerPolicy (--topology-manager-policy) ${quoteText(policy)} must be one of: [${topologyPolicies.map((each) => `"${each}"`).join(' ')}]`,
  );
  problems.check(
    topologyScopes.includes(scope),
    `topologyManagerScope (--topology-manager-scope) ${quoteText(scope)} must be one of: "container", or "pod"`,
  );
}

const enforcements = ['pods', 'system-reserved', 'system-reserved-compressible', 'kube-reserved', 'kube-reserved-compressible', 'none'];

/** Enforcement of node allocatable, and its cgroups. */
export function validateEnforceNodeAllocatable(config: KubeletConfiguration, problems: ConfigurationProblems): void {
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
      problems.check(false, `duplicated enforcements ${quoteText(name)} in ${flag}`);
      continue;
    }
    seen.add(name);
    if (name === 'none') {
      problems.check(enforced.length === 1, `${flag} may not contain additional enforcements when "none" is specified`);
      continue;
    }
    if (!enforcements.includes(name)) {
      problems.check(false, `option ${quoteText(name)} specified for ${flag}. Valid options are ${oneOf(enforcements, 'or')}`);
      continue;
    }
    if (name.startsWith('system-reserved')) reserved('system', config.systemReservedCgroup);
    if (name.startsWith('kube-reserved')) reserved('kube', config.kubeReservedCgroup);
    problems.check(cgroupsPerQOS === true, `cgroupsPerQOS (--cgroups-per-qos) must be set to true when "${name}" contained in ${flag}`);
  }
}

/** CPUs reserved for the system. */
export function validateReservedCpus(config: KubeletConfiguration, problems: ConfigurationProblems): void {
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
    const dash = range.indexOf('-');
    const [first, last] = dash < 0 ? [range, range] : [range.slice(0, dash), range.slice(dash + 1)];
    const problem = integerProblem(first) ?? integerProblem(last);
    if (problem !== undefined) return problem;
    const [from, to] = [toInteger(first), toInteger(last)];
    if (from > to) return `invalid range "${range}" (${from} > ${to})`;
  }
  try {
    CpuSet.parse(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const toInteger = (text: string) => BigInt(text.replace('+', ''));

function integerProblem(text: string): string | undefined {
  const parsing = `strconv.Atoi: parsing ${quoteText(text)}`;
  if (!/^[+-]?[0-9]+$/.test(text)) return `${parsing}: invalid syntax`;
  return BigInt.asIntN(64, toInteger(text)) === toInteger(text) ? undefined : `${parsing}: value out of range`;
}

/** Memory that the memory manager reserves on each NUMA node. */
export function validateReservedMemory({ reservedMemory = [] }: KubeletConfiguration, problems: ConfigurationProblems): void {
  const seen = new Set<string>();
  for (const { numaNode = 0, limits = {} } of reservedMemory) {
    for (const [resource, limit] of Object.entries(limits)) {
      problems.check(
        resource === 'memory' || resource.startsWith('hugepages-'),
        `the limit type ${quoteText(resource)} for NUMA node ${numaNode} is not supported, only [memory hugepages-<HugePageSize>] is accepted`,
      );
      const of = `for NUMA node ${numaNode} and resource ${quoteText(resource)}`;
      problems.check(Quantity.parse(limit).cmp(Quantity.parse('0')) !== 0, `reserved memory may not be zero ${of}`);
      problems.check(!seen.has(of), `the reserved memory has a duplicate value ${of}`);
      seen.add(of);
    }
  }
}

export function validateMemoryQos(config: KubeletConfiguration, problems: ConfigurationProblems): void {
  const { memoryThrottlingFactor: factor, memoryReservationPolicy: policy = '' } = config;
  problems.check(
    factor === undefined || (factor > 0 && factor <= 1),
    `memoryThrottlingFactor ${formatFloat(factor ?? 0)} must be greater than 0 and less than or equal to 1.0`,
  );
  problems.check(
    ['None', 'TieredReservation'].includes(policy),
    `option ${quoteText(policy)} specified for memoryReservationPolicy. Valid options are "None" or "TieredReservation"`,
  );
  problems.check(
    policy !== 'TieredReservation' || isGateEnabled(config.featureGates, 'MemoryQoS'),
    'memoryReservationPolicy "TieredReservation" requires MemoryQoS feature gate to be enabled',
  );
}

const swapBehaviors = ['', 'LimitedSwap', 'NoSwap'];

export function validateSwap({ memorySwap }: KubeletConfiguration, problems: ConfigurationProblems): void {
  const { swapBehavior = '' } = memorySwap ?? {};
  problems.check(
    swapBehaviors.includes(swapBehavior),
    `memorySwap.swapBehavior ${quoteText(swapBehavior)} must be one of: ${oneOf(swapBehaviors, 'or')}`,
  );
}

/** Number of ids per pod with a user namespace. */
export function validateUserNamespaces({ userNamespaces }: KubeletConfiguration, problems: ConfigurationProblems): void {
  const { idsPerPod } = userNamespaces ?? {};
  if (idsPerPod === undefined) return;
  if (idsPerPod < 65_536) problems.check(false, 'userNamespaces.idsPerPod must not be less than 65536');
  else if (idsPerPod % 65_536 !== 0) problems.check(false, 'userNamespaces.idsPerPod must be a multiple of 65536');
  else problems.check(idsPerPod <= 4_294_967_295, 'userNamespaces.idsPerPod must not be more than 4294967295');
}

/** Maximum crash loop back-off of containers. The limits hold for whole milliseconds. */
export function validateRestartPeriod(config: KubeletConfiguration, problems: ConfigurationProblems): void {
  const { maxContainerRestartPeriod: period } = config.crashLoopBackOff ?? {};
  if (period === undefined) return;
  if (!isGateEnabled(config.featureGates, 'KubeletCrashLoopBackOffMax')) {
    problems.check(false, 'FeatureGate KubeletCrashLoopBackOffMax not enabled, CrashLoopBackOff.MaxContainerRestartPeriod must not be set');
    return;
  }
  const nanos = nanosOf(period);
  const milliseconds = nanos / 1_000_000n;
  problems.check(
    milliseconds >= 1_000n && milliseconds <= BigInt(maxContainerBackOffMs),
    `CrashLoopBackOff.MaxContainerRestartPeriod (got: ${formatFloat(Number(nanos) / 1e9)} seconds) must be set between 1s and ${maxContainerBackOffMs / 1_000}s`,
  );
}
