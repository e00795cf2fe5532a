/**
 * Pure functions of the machine topology: parsers of the kernel's files, and the topology that follows from them.
 *
 * @packageDocumentation
 */
export { buildMachineTopology, type CacheFacts, type CpuFacts, type NodeFacts } from './build-machine-topology.js';
export { parseHugePageFolder, parseMemTotal, parseNumber, parseNumbers } from './parse.js';
