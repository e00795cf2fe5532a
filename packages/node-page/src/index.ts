/**
 * The page of a node for the browser: its pods and why they are as they are, its pressure, and a live time line.
 *
 * @packageDocumentation
 */
export { type ContainerLine, containerLines, endText, type ProbeLine } from './container-line.js';
export { nodePageErrorCodes } from './errors.js';
export type { Health, Level } from './level.js';
export type { PageChange, PageState } from './live-state.js';
export { type NodeCondition, type NodeLine, nodeLine, verdictOf } from './node-line.js';
export { createNodePage, type NodePage } from './node-page.js';
export type {
  NodePageAgent,
  NodePageOptions,
  NodePageSettings,
  PageEviction,
  PagePod,
  PagePodExplanation,
  PageSync,
} from './options.js';
export { compareLevels, type PodFacts, podHealth } from './pod-health.js';
export { type PodLine, podLine, type WorkerLine } from './pod-line.js';
export { type PressureBar, type PressureMark, pressureBars } from './pressure.js';
export type { KeptEntry } from './timeline-ring.js';
