import {
  type Clock,
  invalidOption,
  invalidOptionText,
  type Logger,
  type MachineTopology,
  type Metrics,
  noMetrics,
  silentLogger,
  systemClock,
  type TopologyHintProvider,
} from '@nodeagent/api';
import { maxNumaNodes } from './numa-mask.js';
import { policyRules, type TopologyManagerPolicy } from './policy.js';
import { defaultMaxAllowableNumaNodes, parsePolicyOptions, type TopologyManagerPolicyOptions } from './policy-options.js';

/** What resources are aligned together: `topologyManagerScope` of KubeletConfiguration. */
export type TopologyManagerScope = 'container' | 'pod';

/** Options of `createTopologyManager`. Policy, scope and policy options have the names and values of KubeletConfiguration. */
export interface TopologyManagerOptions {
  /** Default `none`. */
  policy?: TopologyManagerPolicy;
  /** `container`: the resources of each container; `pod`: those of all containers of a pod. Default `container`. */
  scope?: TopologyManagerScope;
  policyOptions?: TopologyManagerPolicyOptions;
  /** The NUMA nodes of the machine; at most 31. */
  topology: Pick<MachineTopology, 'numaNodes'>;
  /** The providers by name, in the order in which they assign resources. The kubelet's order: devices, CPUs, memory. */
  providers: Readonly<Record<string, TopologyHintProvider>>;
  clock?: Clock;
  logger?: Logger;
  metrics?: Metrics;
}

/** The options with their defaults. Throws `InvalidOption`, with the kubelet's text where it has one. */
export function resolveOptions(options: TopologyManagerOptions) {
  const { policy = 'none', scope = 'container', topology, providers, logger = silentLogger } = options;
  if (!Object.hasOwn(policyRules, policy)) throw invalidOptionText('policy', `unknown policy: "${policy}"`);
  if (scope !== 'container' && scope !== 'pod') throw invalidOptionText('scope', `unknown scope: "${scope}"`);
  if (topology === undefined) throw invalidOption('topology', "the machine's topology", topology);
  for (const [name, provider] of Object.entries(providers ?? {})) {
    if (typeof provider?.getTopologyHints !== 'function') throw invalidOption(`providers.${name}`, 'a TopologyHintProvider', provider);
  }
  return {
    policy,
    scope,
    policyOptions: policy === 'none' ? parsePolicyOptions() : checkedPolicyOptions(options, logger),
    numaNodes: topology.numaNodes,
    providers: Object.entries(providers ?? {}).map(([name, provider]) => ({ name, provider })),
    clock: options.clock ?? systemClock,
    logger,
    metrics: options.metrics ?? noMetrics,
  };
}

/** Options with all defaults. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>;

/** The policy options, if the machine has no more NUMA nodes than they allow. The policy `none` ignores them, as in the kubelet. */
function checkedPolicyOptions({ policyOptions, topology }: TopologyManagerOptions, logger: Logger) {
  const parsed = parsePolicyOptions({ ...policyOptions });
  const { maxAllowableNumaNodes } = parsed;
  if (maxAllowableNumaNodes > defaultMaxAllowableNumaNodes) {
    logger.warn({ maxAllowableNumaNodes }, 'WARNING: the value of max-allowable-numa-nodes is more than the default recommended value');
  }
  const count = topology.numaNodes.length;
  if (count === 0) throw invalidOption('topology.numaNodes', 'a list with at least one NUMA node', '[]');
  if (count > maxAllowableNumaNodes) {
    throw invalidOptionText('topology.numaNodes', `unsupported on machines with more than ${maxAllowableNumaNodes} NUMA Nodes`, {
      hint: 'Set the policy option max-allowable-numa-nodes, or the policy none.',
    });
  }
  if (count > maxNumaNodes) throw invalidOption('topology.numaNodes', `a list of at most ${maxNumaNodes} NUMA nodes`, count);
  return parsed;
}
