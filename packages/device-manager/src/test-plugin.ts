/**
 * A device plugin for tests, on real sockets: it registers with a kubelet or with the device manager, changes its devices, and fails on demand.
 *
 * @packageDocumentation
 */
export {
  createDeviceTestPlugin,
  type DevicePluginCall,
  type DevicePluginFault,
  type DeviceTestPlugin,
  type DeviceTestPluginOptions,
  type TestDevice,
} from './test-plugin/device-test-plugin.js';
