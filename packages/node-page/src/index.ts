/**
 * The page of a node for the browser: its pods and why they are as they are, its pressure, and a live time line.
 * The pure functions and parts that it is made of are in `@nodeagent/node-page/decisions`.
 *
 * @packageDocumentation
 */
export { nodePageErrorCodes } from './errors.js';
export type { PageChange, PageState } from './live-state.js';
export { createNodePage, type NodePage } from './node-page.js';
export type { NodePageAgent, NodePageOptions, NodePageSettings, PageEviction, PagePod, PagePodExplanation, PageSync } from './options.js';
export type { KeptEntry } from './timeline-ring.js';
