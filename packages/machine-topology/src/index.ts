/**
 * The errors of reading a machine's topology. `@nodeagent/machine-topology/node` reads that of this machine, and
 * `@nodeagent/machine-topology/decisions` has the pure functions.
 *
 * @packageDocumentation
 */
export { machineTopologyErrorCodes } from './errors.js';
