/**
 * A CSI driver for tests, on real sockets: it keeps its mounts when it crashes, rejects the calls that a driver must reject, and fails
 * on demand.
 *
 * @packageDocumentation
 */
export { type CsiTestDriver, type CsiTestDriverOptions, createCsiTestDriver } from './test-driver/driver.js';
export type { CsiCall, CsiFault, CsiTestDisk } from './test-driver/driver-types.js';
