/**
 * Pure functions of Dynamic Resource Allocation: the claims of pods and containers, the checks of claims and of drivers' results, CDI ids, the
 * health of devices and the checkpoints.
 *
 * @packageDocumentation
 */
export { decodeDraCheckpoint, encodeDraCheckpoint } from './checkpoint.js';
export { checkClaim } from './claim-checks.js';
export {
  type ClaimInfo,
  cdiDeviceIds,
  claimInfoOf,
  claimsByDriver,
  type DriverClaim,
  devicesFor,
  type PreparedDevice,
  satisfiesRequest,
} from './claim-info.js';
export { containerHealth, type HealthOf, podsWithDevices } from './container-health.js';
export {
  type DeviceHealth,
  type DeviceHealthStatus,
  defaultHealthTimeoutMs,
  healthAt,
  type ReportedHealth,
  reconcileHealth,
  shortMessage,
} from './device-health.js';
export type { DraService } from './driver-connection.js';
export { checkDriverResults, type DriverMethod, type DriverResult } from './driver-results.js';
export { chooseDraService } from './drivers.js';
export { type ClaimDevices, dynamicResourceOf } from './dynamic-resources.js';
export { decodeHealth, encodeHealth, type HealthByDriver } from './health-checkpoint.js';
export { containerClaimRequests, hasClaims, type PodClaim, podClaims } from './pod-claims.js';
export { sliceSelector } from './slice-cleanup.js';
