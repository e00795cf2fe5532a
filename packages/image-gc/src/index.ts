/**
 * Image garbage collection by disk usage and age, as a kubelet does it: pure decisions, and a manager that carries them out.
 * The pure functions and parts that it is made of are in `@nodeagent/image-gc/decisions`.
 *
 * @packageDocumentation
 */
export { type CriImagesOptions, criImages } from './cri-images.js';
export { imageGcErrorCodes } from './errors.js';
export { createImageGcManager, type ImageGcManager, type RemovedImage } from './image-gc-manager.js';
export type { ImageRecord, ListedImage } from './image-record.js';
export type { CollectedImages, ImageGcManagerOptions, ImageStore } from './options.js';
export type { ImageGcPlan, ImageVerdict, PlannedImage } from './plan.js';
export { checkImageGcSettings, type ImageGcSettings } from './settings.js';
export type { ImageFsStats, ImageFsUsage } from './space-to-free.js';
