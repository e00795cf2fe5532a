/**
 * A DRA driver for tests, on a real socket: it registers with a kubelet or an agent, prepares claims, and fails on demand.
 *
 * @packageDocumentation
 */
export {
  createDraTestDriver,
  type DraDriverCall,
  type DraDriverFault,
  type DraTestDriver,
  type DraTestDriverOptions,
  type TestHealth,
} from './test-driver/dra-test-driver.js';
