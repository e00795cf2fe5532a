/**
 * Reads the CPUs, cores, sockets, uncore caches and NUMA nodes of this Linux machine.
 *
 * @packageDocumentation
 */
export { type MachineTopologyOptions, readMachineTopology } from './read-machine-topology.js';
