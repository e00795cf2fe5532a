/**
 * A web page of a node: its pods with the reasons for their state, its pressure, and a live timeline.
 * The pure functions of the page are in `@nodeagent/node-page/decisions`.
 * @packageDocumentation
 */
export { nodePageErrorCodes } from './errors.js';
export type { PageChange, PageState } from './live-state.js';
export { createNodePage, type NodePage } from './node-page.js';
export type {
  NodePageAgent,
  NodePageOptions,
  NodePageSettings,
  PageAssignment,
  PageEviction,
  PagePod,
  PagePodExplanation,
  PageSync,
} from './options.js';
export type { KeptEntry } from './timeline-ring.js';
