/**
 * The decisions of image garbage collection: how much space to free, and which images are removed in which order.
 *
 * @packageDocumentation
 */
export { removalOrder, updateImageRecords } from './image-record.js';
export { type ImageGcPlanInput, planImageGc } from './plan.js';
export { spaceToFree } from './space-to-free.js';
