import type { CpuSet } from '@nodeagent/api/helpers';
import { type CpuState, eachAssignment } from './cpu-state.js';
import { type CpuTopology, groupsOf } from './cpu-topology.js';
import type { StaticPolicyOptions } from './policy-options.js';
import { freeCpus, freePhysicalCpus, type StaticPolicy } from './static-policy.js';

/** Exclusive CPUs of a container, and where they are. */
export interface AssignmentExplanation {
  podUID: string;
  containerName: string;
  /** In Linux list notation, such as `2-3,10`. */
  cpus: string;
  numaNodes: number[];
  sockets: number[];
  uncoreCaches: number[];
  /** Whether the container has all CPUs of its cores. */
  hasWholeCores: boolean;
}

/** The CPUs of the static policy. Sets are in Linux list notation. */
export interface CpuPoolsExplanation {
  policyOptions: StaticPolicyOptions;
  /** CPUs that no container gets exclusively. */
  reservedCpus: string;
  /** CPUs of the containers without exclusive ones; includes the reserved CPUs unless the reservation is strict. */
  defaultCpuSet: string;
  /** CPUs that containers can get exclusively now. */
  freeCpus: string;
  /** How many CPUs containers can get as whole cores; only with `full-pcpus-only`. */
  freeCpusOfWholeCores?: number;
  assignments: AssignmentExplanation[];
}

/** A container that the last reconciliation could not update. */
export interface ReconcileFailure {
  podUID: string;
  containerName: string;
  reason: string;
}

/** The last reconciliation. */
export interface ReconcileExplanation {
  /** Milliseconds since 1970. */
  at: number;
  /** How many containers got other CPUs. */
  updated: number;
  failures: ReconcileFailure[];
}

/** The state of a CPU manager. Plain JSON. */
export interface CpuExplanation {
  policy: 'none' | 'static';
  stateFile: string;
  /** Absent with the policy `none`. */
  pools?: CpuPoolsExplanation;
  /** Absent before the first reconciliation. */
  lastReconcile?: ReconcileExplanation;
}

/** Explains how the static policy divides the CPUs. A pure function. */
export function explainPools(policy: StaticPolicy, state: CpuState): CpuPoolsExplanation {
  const { topology, options, reserved } = policy;
  return {
    policyOptions: options,
    reservedCpus: reserved.toString(),
    defaultCpuSet: state.defaultCpuSet.toString(),
    freeCpus: freeCpus(policy, state).toString(),
    ...(options.fullPCPUsOnly && { freeCpusOfWholeCores: freePhysicalCpus(policy, state).size }),
    assignments: [...eachAssignment(state.assignments)].map(({ podUID, containerName, cpus }) => ({
      podUID,
      containerName,
      cpus: cpus.toString(),
      numaNodes: groupsOf(topology, cpus, 'numaNode'),
      sockets: groupsOf(topology, cpus, 'socket'),
      uncoreCaches: groupsOf(topology, cpus, 'uncoreCache'),
      hasWholeCores: hasWholeCores(topology, cpus),
    })),
  };
}

const hasWholeCores = (topology: CpuTopology, cpus: CpuSet) =>
  groupsOf(topology, cpus, 'core').every((core) => topology.cpusOf('core', core).isSubsetOf(cpus));
