/**
 * Conformance test suites for implementations of a node agent's ports, with or without a test framework.
 *
 * @packageDocumentation
 */
export { allocationManagerSuite } from './allocation-manager/allocation-manager-suite.js';
export type { AllocationCapability, AllocationManagerSubject, AllocationPorts } from './allocation-manager/subject.js';
export { type ClockSubject, clockSuite } from './clock/clock-suite.js';
export { criRuntimeSuite } from './cri/cri-runtime-suite.js';
export type { ContainerKind, CriCapability, CriSubject, ExpectedExec } from './cri/subject.js';
export { type ImageManagerSubject, imageManagerSuite } from './image-manager/image-manager-suite.js';
export { type MounterCapability, type MounterSubject, mounterSuite } from './mounter/mounter-suite.js';
export { plegSuite } from './pleg/pleg-suite.js';
export type { PlegRuntime, PlegSubject } from './pleg/subject.js';
export { type PodCacheSubject, podCacheSuite } from './pod-cache/pod-cache-suite.js';
export { type PodSourceCapability, type PodSourceSubject, podSourceSuite } from './pod-source/pod-source-suite.js';
export { podWorkersSuite } from './pod-workers/pod-workers-suite.js';
export type { PodWorkersPorts, PodWorkersSubject } from './pod-workers/subject.js';
export { probeManagerSuite } from './probe-manager/probe-manager-suite.js';
export type { ProbeManagerSubject, ProbePorts } from './probe-manager/subject.js';
export { runtimeSuite } from './runtime/runtime-suite.js';
export type { RuntimeCapability, RuntimeSubject } from './runtime/subject.js';
export { type StatsProviderSubject, statsProviderSuite, summarySourceSuite } from './stats-provider/stats-provider-suite.js';
export type { StatsCapability, SummarySourceSubject } from './stats-provider/summary-cases.js';
export { statusManagerSuite } from './status-manager/status-manager-suite.js';
export type { StatusManagerSubject } from './status-manager/subject.js';
export { type StatusSinkCapability, type StatusSinkSubject, statusSinkSuite } from './status-sink/status-sink-suite.js';
export { defineSuite, type TestFramework } from './suite/define-suite.js';
export { runSuite } from './suite/run-suite.js';
export type { CaseResult, Factory, Fixture, Suite, SuiteCase, SuiteOptions } from './suite/suite.js';
export type { Advance } from './support/waiting.js';
export {
  type AssignedResource,
  type TopologyHintProviderSubject,
  topologyHintProviderSuite,
} from './topology-hint-provider/topology-hint-provider-suite.js';
export type { AnyVolumeManager, VolumeManagerCapability, VolumeManagerSubject } from './volume-manager/subject.js';
export { volumeManagerSuite } from './volume-manager/volume-manager-suite.js';
