/**
 * The controllers of a control plane for tests: a small scheduler, the controllers of workloads, nodes, namespaces and certificates, and the
 * garbage collector, over the objects of an API server in this process.
 *
 * @packageDocumentation
 */

export type { SecretToken } from './accounts/token-secrets.js';
export type { AutoscalerMetrics, MetricQuery } from './autoscaling/metric-samples.js';
export type { CertificateAuthority, CertificateSignerOptions, RequestedCertificate } from './certificates/certificate-signer.js';
export type { ControllerObjects, StoredChange, StoredObject, TargetScale, Writer } from './controller-objects.js';
export type { DeviceMatcher } from './devices/claim-requests.js';
export type { DeviceAllocation } from './devices/device-modules.js';
export type { NodeLifecycleSettings } from './nodes/node-controllers.js';
export type { NodeIpamSettings } from './nodes/node-ipam.js';
export { type ControllerChoice, createTestControllers, type TestControllers, type TestControllersOptions } from './test-controllers.js';
