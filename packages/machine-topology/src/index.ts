/**
 * The CPUs, cores, sockets, uncore caches and NUMA nodes of a Linux machine. The pure functions are exported from
 * `@nodeagent/machine-topology/decisions`.
 *
 * @packageDocumentation
 */
export { machineTopologyErrorCodes } from './errors.js';
export { type MachineTopologyOptions, readMachineTopology } from './read-machine-topology.js';
