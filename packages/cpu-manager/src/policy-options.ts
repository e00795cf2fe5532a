import { errorMessage, invalidOptionText } from '@nodeagent/api';
import { parseGoBool, quoteText } from '@nodeagent/api/helpers';
import type { CpuTopology } from './cpu-topology.js';

/** The options of the static policy, parsed. */
export interface StaticPolicyOptions {
  fullPCPUsOnly: boolean;
  distributeCPUsAcrossNUMA: boolean;
  alignBySocket: boolean;
  distributeCPUsAcrossCores: boolean;
  strictCPUReservation: boolean;
  preferAlignByUncoreCache: boolean;
}

/**
 * The options of the static policy: `cpuManagerPolicyOptions` of KubeletConfiguration. The values are booleans, such as
 * `"true"`.
 */
export interface CpuManagerPolicyOptions {
  /** Assign whole cores only; refuse pods with other requests. Default false. */
  'full-pcpus-only'?: string;
  /** Assign CPUs in equal parts from NUMA nodes if one is too small. Beta. Default false. */
  'distribute-cpus-across-numa'?: string;
  /** Align on sockets instead of NUMA nodes. Alpha. Default false. */
  'align-by-socket'?: string;
  /** Assign CPUs of different cores. Alpha. Default false. */
  'distribute-cpus-across-cores'?: string;
  /** Keep the reserved CPUs from all containers. Default false. */
  'strict-cpu-reservation'?: string;
  /** Assign CPUs of one uncore cache if possible. Default false. */
  'prefer-align-cpus-by-uncorecache'?: string;
}

/** Feature gates of policy options, with the kubelet's defaults. */
export interface PolicyOptionGates {
  /** Default false. */
  CPUManagerPolicyAlphaOptions?: boolean;
  /** Default true. */
  CPUManagerPolicyBetaOptions?: boolean;
}

type OptionName = keyof CpuManagerPolicyOptions;

const definitions: Readonly<Record<OptionName, { field: keyof StaticPolicyOptions; level: 'Alpha' | 'Beta' | 'GA' }>> = {
  'full-pcpus-only': { field: 'fullPCPUsOnly', level: 'GA' },
  'distribute-cpus-across-numa': { field: 'distributeCPUsAcrossNUMA', level: 'Beta' },
  'align-by-socket': { field: 'alignBySocket', level: 'Alpha' },
  'distribute-cpus-across-cores': { field: 'distributeCPUsAcrossCores', level: 'Alpha' },
  'strict-cpu-reservation': { field: 'strictCPUReservation', level: 'GA' },
  'prefer-align-cpus-by-uncorecache': { field: 'preferAlignByUncoreCache', level: 'GA' },
};

/** Options that exclude each other. */
const conflicts: readonly [OptionName, OptionName][] = [
  ['full-pcpus-only', 'distribute-cpus-across-cores'],
  ['distribute-cpus-across-numa', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-numa'],
];

/** Parses the options of the static policy. Throws `InvalidOption` with the kubelet's text. */
export function parsePolicyOptions(options: CpuManagerPolicyOptions = {}, gates: PolicyOptionGates = {}): StaticPolicyOptions {
  const isEnabled = { Alpha: gates.CPUManagerPolicyAlphaOptions ?? false, Beta: gates.CPUManagerPolicyBetaOptions ?? true, GA: true };
  const parsed: StaticPolicyOptions = {
    fullPCPUsOnly: false,
    distributeCPUsAcrossNUMA: false,
    alignBySocket: false,
    distributeCPUsAcrossCores: false,
    strictCPUReservation: false,
    preferAlignByUncoreCache: false,
  };
  for (const [name, value] of Object.entries(options)) {
    const invalid = (message: string) => invalidOptionText(`policyOptions.${name}`, message);
    if (!isOptionName(name)) throw invalid(`unknown CPU Manager Policy option: ${quoteText(name)}`);
    const { field, level } = definitions[name];
    if (!isEnabled[level]) throw invalid(`CPU Manager Policy ${level}-level Options not enabled, but option ${quoteText(name)} provided`);
    try {
      parsed[field] = parseGoBool(value);
    } catch (error) {
      throw invalid(`bad value for option ${quoteText(name)}: ${errorMessage(error)}`);
    }
  }
  for (const [first, second] of conflicts) {
    if (!parsed[definitions[first].field] || !parsed[definitions[second].field]) continue;
    throw invalidOptionText('policyOptions', `static policy options ${first} and ${second} can not be used at the same time`);
  }
  return parsed;
}

const isOptionName = (name: string): name is OptionName => Object.hasOwn(definitions, name);

/** Throws `InvalidOption` if the options do not fit the machine or the policy of the topology manager. */
export function checkPolicyOptions({ alignBySocket }: StaticPolicyOptions, topology: CpuTopology, topologyManagerPolicy?: string): void {
  if (!alignBySocket) return;
  if (topologyManagerPolicy === 'single-numa-node') {
    const message = `Topolgy manager ${topologyManagerPolicy} policy is incompatible with CPUManager align-by-socket policy option`;
    throw invalidOptionText('policyOptions.align-by-socket', message);
  }
  if (topology.groups('socket').length > topology.groups('numaNode').length) {
    const message = 'Align by socket is not compatible with hardware where number of sockets are more than number of NUMA';
    throw invalidOptionText('policyOptions.align-by-socket', message);
  }
}
