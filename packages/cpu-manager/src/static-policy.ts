import { invalidOptionText, type MachineTopology } from '@nodeagent/api';
import { CpuSet } from '@nodeagent/api/helpers';
import { type CpuState, eachAssignment } from './cpu-state.js';
import { type CpuTopology, groupsOf, indexCpus } from './cpu-topology.js';
import {
  type CpuManagerPolicyOptions,
  checkPolicyOptions,
  type PolicyOptionGates,
  parsePolicyOptions,
  type StaticPolicyOptions,
} from './policy-options.js';
import { takeByTopology } from './take-by-topology.js';

/** Input of {@link createStaticPolicy}. */
export interface StaticPolicyInput {
  topology: Pick<MachineTopology, 'cpus'>;
  /** CPUs that are reserved for the system and the agent, rounded up. Must be above 0. */
  numReservedCPUs: number;
  /** The reserved CPUs, as many as `numReservedCPUs`. Default: chosen by topology. */
  reservedSystemCPUs?: CpuSet;
  policyOptions?: CpuManagerPolicyOptions;
  /** Default: the kubelet's defaults. */
  featureGates?: PolicyOptionGates;
  /** The policy of the topology manager, with which some options are incompatible. */
  topologyManagerPolicy?: string;
}

/** The static policy on one machine. Plain data for the functions that decide. */
export interface StaticPolicy {
  topology: CpuTopology;
  options: StaticPolicyOptions;
  /** CPUs that no container gets exclusively. */
  reserved: CpuSet;
  /** All CPUs that the policy divides: those of the machine, without the reserved ones if the reservation is strict. */
  cpus: CpuSet;
  /** CPUs that containers can get exclusively. */
  allocatable: CpuSet;
}

/** Prepares the static policy for a machine. Throws `InvalidOption` with the kubelet's text. */
export function createStaticPolicy(input: StaticPolicyInput): StaticPolicy {
  const { numReservedCPUs, reservedSystemCPUs = CpuSet.empty, topologyManagerPolicy } = input;
  const topology = indexCpus(input.topology);
  const options = parsePolicyOptions(input.policyOptions, input.featureGates);
  checkPolicyOptions(options, topology, topologyManagerPolicy);
  if (!(numReservedCPUs > 0)) {
    const message = '[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero';
    throw invalidOptionText('nodeAllocatableReservation', message);
  }
  const reserved = reservedSystemCPUs.isEmpty ? takeByTopology(topology, topology.cpus, numReservedCPUs, options) : reservedSystemCPUs;
  if (reserved.size !== numReservedCPUs) {
    const message = `[cpumanager] unable to reserve the required amount of CPUs (size of ${reserved} did not equal ${numReservedCPUs})`;
    throw invalidOptionText('reservedSystemCPUs', message);
  }
  const allocatable = topology.cpus.difference(reserved);
  return { topology, options, reserved, cpus: options.strictCPUReservation ? allocatable : topology.cpus, allocatable };
}

/** CPUs that containers can get exclusively now. */
export function freeCpus({ reserved }: StaticPolicy, { defaultCpuSet }: CpuState): CpuSet {
  return defaultCpuSet.difference(reserved);
}

/** Like {@link freeCpus}, without the other CPUs of reserved cores. */
export function freePhysicalCpus({ topology, reserved }: StaticPolicy, { defaultCpuSet }: CpuState): CpuSet {
  const cores = groupsOf(topology, reserved, 'core');
  return defaultCpuSet.difference(CpuSet.empty.union(...cores.map((core) => topology.cpusOf('core', core))));
}

/**
 * The state to start with: the restored one, or one without assignments if that is empty. Throws an Error with the kubelet's text if the restored
 * state does not fit the machine or its reservation.
 */
export function startState({ cpus, reserved, options }: StaticPolicy, restored: CpuState): CpuState {
  const { defaultCpuSet, assignments } = restored;
  if (defaultCpuSet.isEmpty) {
    if (assignments.size > 0) throw new Error('default cpuset cannot be empty');
    return { defaultCpuSet: cpus, assignments };
  }
  const reservedInDefault = reserved.intersection(defaultCpuSet);
  if (options.strictCPUReservation && !reservedInDefault.isEmpty) {
    throw new Error(`some of strictly reserved cpus: "${reservedInDefault}" are present in defaultCpuSet: "${defaultCpuSet}"`);
  }
  if (!options.strictCPUReservation && !reservedInDefault.equals(reserved)) {
    throw new Error(`not all reserved cpus: "${reserved}" are present in defaultCpuSet: "${defaultCpuSet}"`);
  }
  const assigned = [...eachAssignment(assignments)];
  for (const { podUID, containerName, cpus: exclusive } of assigned) {
    if (exclusive.intersection(defaultCpuSet).isEmpty) continue;
    throw new Error(`pod: ${podUID}, container: ${containerName} cpuset: "${exclusive}" overlaps with default cpuset "${defaultCpuSet}"`);
  }
  const known = defaultCpuSet.union(...assigned.map((each) => each.cpus));
  if (!known.equals(cpus)) throw new Error(`current set of available CPUs "${cpus}" doesn't match with CPUs in state "${known}"`);
  return restored;
}
