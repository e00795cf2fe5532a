/**
 * A web page of a node: its pods with the reasons for their state, its pressure, and a live timeline.
 * The pure functions of the page are in `@nodeagent/node-page/decisions`.
 * @packageDocumentation
 */
export type { ClaimLine, DriverLine } from './claim-lines.js';
export type { DeviceLine, DeviceResourceLine } from './device-lines.js';
export { nodePageErrorCodes } from './errors.js';
export type { PageChange, PageState } from './live-state.js';
export type { ImageLine, NodeDetails } from './node-details.js';
export { createNodePage, type NodePage } from './node-page.js';
export type {
  NodePageAgent,
  NodePageOptions,
  NodePageSettings,
  PageAssignment,
  PageClaimDevice,
  PageDevices,
  PageDynamicResources,
  PageEvent,
  PageEviction,
  PageImage,
  PagePod,
  PagePodExplanation,
  PageSync,
} from './options.js';
export type { PodDetails, VolumeLine } from './pod-details.js';
export type { KeptEntry } from './timeline-ring.js';
export type { Usage, UsageSample, UsageSeries } from './usage-history.js';
export type { PageAccess, PageViewer } from './viewer.js';
