/**
 * Reads this machine: its resources, identity, addresses and routes.
 * @packageDocumentation
 */
export { createMachineReader, type MachineReaderOptions } from './machine/machine-reader.js';
export { createNetworkReader, type NetworkReaderOptions } from './machine/network-reader.js';
