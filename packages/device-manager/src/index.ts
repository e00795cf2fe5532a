/**
 * Device plugins of a node: registration, health, capacity, topology hints and allocation. The pure functions are exported from
 * `@nodeagent/device-manager/decisions`, a plugin for tests from `@nodeagent/device-manager/test-plugin`.
 *
 * @packageDocumentation
 */
export type { DeviceCapacity } from './device-capacity.js';
export { createDeviceManager, type DeviceExplanation, type DeviceManager } from './device-manager.js';
export type { PluginDevice } from './devices.js';
export { deviceManagerErrorCodes } from './errors.js';
export type { DeviceManagerOptions } from './options.js';
export type { DevicePluginConnection, DevicePluginOptions } from './plugin-connection.js';
export type { AllocateResponse, DevicesPerNuma } from './pod-devices.js';
export type { ConnectPlugin, DevicePluginRegistration } from './registration.js';
export type { ResourceHealth } from './resource-health.js';
export type { DeviceRunOptions } from './run-options.js';
