/**
 * A CSI driver for tests, on real sockets: it remembers what is mounted beyond its own death, refuses what a driver must refuse, and fails
 * on demand.
 *
 * @packageDocumentation
 */
export {
  type CsiCall,
  type CsiFault,
  type CsiTestDisk,
  type CsiTestDriver,
  type CsiTestDriverOptions,
  createCsiTestDriver,
} from './test-driver/csi-test-driver.js';
