/**
 * The network of this machine, over which HTTP, TCP and gRPC probes reach their targets.
 *
 * @packageDocumentation
 */
export { machineProbeNetwork } from './machine-probe-network.js';
