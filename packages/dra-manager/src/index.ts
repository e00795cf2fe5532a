/**
 * Dynamic Resource Allocation on a node: prepares the ResourceClaims of pods with DRA drivers. The pure functions are exported from
 * `@nodeagent/dra-manager/decisions`, a driver for tests from `@nodeagent/dra-manager/test-driver`.
 *
 * @packageDocumentation
 */
export type { ClaimInfo, DriverClaim, PreparedDevice } from './claim-info.js';
export type { DeviceHealthStatus, ReportedHealth } from './device-health.js';
export { createDraManager, type DraExplanation, type DraManager, type ExplainedClaim } from './dra-manager.js';
export type { DraDriverConnection, DraService } from './driver-connection.js';
export type { DriverResult } from './driver-results.js';
export type { DraRegistration } from './drivers.js';
export type { ClaimDevices } from './dynamic-resources.js';
export { draManagerErrorCodes } from './errors.js';
export type { DraManagerOptions } from './options.js';
export type { ResourceSliceDeleter } from './slice-cleanup.js';
