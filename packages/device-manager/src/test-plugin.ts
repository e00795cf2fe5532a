/**
 * A device plugin for tests, on real sockets: it registers with a kubelet or with the device manager, changes its devices, and fails on demand.
 *
 * @packageDocumentation
 */
export type { DevicePluginCall, DevicePluginFault, TestDevice } from './test-plugin/device-service.js';
export { createDeviceTestPlugin, type DeviceTestPlugin, type DeviceTestPluginOptions } from './test-plugin/device-test-plugin.js';
