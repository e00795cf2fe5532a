/**
 * Image garbage collection by disk usage and age, as in a kubelet: pure decisions, and a manager that executes them.
 * `@nodeagent/image-gc/decisions` exports the pure functions.
 *
 * @packageDocumentation
 */
export { type CriImageFsOptions, type CriImagesOptions, criImageFsStats, criImages } from './cri-images.js';
export { imageGcErrorCodes } from './errors.js';
export { createImageGcManager, type ImageGcManager } from './image-gc-manager.js';
export type { ImageRecord, ListedImage } from './image-record.js';
export type { RemovedImage } from './node-images.js';
export type { CollectedImages, ImageGcManagerOptions, ImageStore } from './options.js';
export type { ImageGcPlan, ImageVerdict, PlannedImage, PlannedUsage } from './plan.js';
export { checkImageGcSettings, type ImageGcSettings, imageGcSettings } from './settings.js';
export type { ImageFsStats, ImageFsUsage } from './space-to-free.js';
