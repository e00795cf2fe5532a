/**
 * Minimal implementations of a node agent's parts, each written from its contract alone: it passes the suite of its port. For tests that compose an
 * agent of other parts.
 *
 * @packageDocumentation
 */
export { createTestAllocationManager, type TestAllocationPorts, type TestGrant } from './allocation-manager/allocation-manager-double.js';
export { createTestImageManager, type TestImageManagerPorts } from './image-manager/image-manager-double.js';
export { createTestPleg, type TestPlegPorts } from './pleg/pleg-double.js';
export { createTestPodSource, type TestPodSourcePorts } from './pod-source/pod-source-double.js';
export { createTestPodWorkers, type TestPodWorkersPorts } from './pod-workers/pod-workers-double.js';
export { createTestProbeManager } from './probe-manager/probe-manager-double.js';
export type { TestProbePorts } from './probe-manager/probe-worker-double.js';
export { createTestRuntime, type TestImage, type TestRuntime, type TestRuntimePorts } from './runtime/runtime-double.js';
export { createTestStatsProvider, type TestStatsPorts } from './stats-provider/stats-provider-double.js';
export { createTestStatusManager, type TestStatusManagerPorts } from './status-manager/status-manager-double.js';
export { createTestStatusSink, type TestStatusSinkPorts } from './status-sink/status-sink-double.js';
export { createTestVolumeManager, type TestVolumeNode } from './volume-manager/volume-manager-double.js';
