/**
 * Image garbage collection by disk usage and age, as a kubelet does it: pure decisions, and a manager that carries them out.
 *
 * @packageDocumentation
 */
export { type CriImagesOptions, criImages } from './cri-images.js';
export { imageGcErrorCodes } from './errors.js';
export { createImageGcManager, type ImageGcManager, type RemovedImage } from './image-gc-manager.js';
export { type ImageRecord, type ListedImage, removalOrder, updateImageRecords } from './image-record.js';
export type { CollectedImages, ImageGcManagerOptions, ImageStore } from './options.js';
export { type ImageGcPlan, type ImageGcPlanInput, type ImageVerdict, type PlannedImage, planImageGc } from './plan.js';
export { checkImageGcSettings, type ImageGcSettings } from './settings.js';
export { type ImageFsStats, type ImageFsUsage, spaceToFree } from './space-to-free.js';
