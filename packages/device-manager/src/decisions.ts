/**
 * Pure functions of the device manager: topology hints, the choice of devices, the node's capacity, run options and the checkpoint.
 *
 * @packageDocumentation
 */
export { type DeviceCheckpoint, decodeDeviceCheckpoint, encodeDeviceCheckpoint } from './checkpoint.js';
export { type ChooseDevicesInput, type ChosenDevices, chooseDevices, type PreferDevices } from './choose-devices.js';
export { type DeviceCapacity, deviceCapacity, endpointStopGracePeriodMs, type ResourceEndpoint } from './device-capacity.js';
export { type DeviceHintsInput, deviceHints } from './device-hints.js';
export { disconnectDevices, hasTopologyAlignment, noDevices, type PluginDevice, type ResourceDevices, receiveDevices } from './devices.js';
export { type DeviceGroups, groupDevices } from './group-devices.js';
export type { AllocateResponse, DeviceRecord, DevicesPerNuma } from './pod-devices.js';
export { type DeviceRunOptions, deviceRunOptions } from './run-options.js';
