/**
 * Test suites that any implementation of a node agent's ports can run against itself, with or without a test framework.
 *
 * @packageDocumentation
 */
export { type ClockSubject, clockSuite } from './clock/clock-suite.js';
export { criRuntimeSuite } from './cri/cri-runtime-suite.js';
export type { ContainerKind, CriCapability, CriSubject, ExpectedExec } from './cri/subject.js';
export { type MounterCapability, type MounterSubject, mounterSuite } from './mounter/mounter-suite.js';
export { type PodSourceCapability, type PodSourceSubject, podSourceSuite } from './pod-source/pod-source-suite.js';
export { type StatsProviderSubject, statsProviderSuite, summarySourceSuite } from './stats-provider/stats-provider-suite.js';
export type { StatsCapability, SummarySourceSubject } from './stats-provider/summary-cases.js';
export { type StatusSinkCapability, type StatusSinkSubject, statusSinkSuite } from './status-sink/status-sink-suite.js';
export { defineSuite, type TestFramework } from './suite/define-suite.js';
export { runSuite } from './suite/run-suite.js';
export type { CaseResult, Factory, Fixture, Suite, SuiteCase, SuiteOptions } from './suite/suite.js';
export type { AnyVolumeManager, VolumeManagerCapability, VolumeManagerSubject } from './volume-manager/subject.js';
export { volumeManagerSuite } from './volume-manager/volume-manager-suite.js';
