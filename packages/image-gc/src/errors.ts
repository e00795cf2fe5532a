import { NodeAgentError } from '@nodeagent/api';

/** The `code` of every error of this package. */
export const imageGcErrorCodes = {
  /** An option or setting is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The images could not be listed. Retryable. */
  imagesUnknown: 'ImagesUnknown',
  /** The images in use could not be listed. Retryable. */
  useUnknown: 'ImageUseUnknown',
  /** The usage of the image file system could not be read. Retryable. */
  imageFsUnknown: 'ImageFsUnknown',
  /** The file system of the images has no capacity. */
  invalidDiskCapacity: 'InvalidDiskCapacity',
  /** Images above the maximum age could not be removed. Retryable. */
  oldImagesNotDeleted: 'OldImagesNotDeleted',
  /** At least one image could not be removed to free space; the others were tried. Retryable. */
  imagesNotDeleted: 'ImagesNotDeleted',
  /** All removable images were removed, and usage is still above the lower threshold. */
  freeDiskSpaceFailed: 'FreeDiskSpaceFailed',
  /** A call of a port did not settle within its timeout. Retryable. */
  timeout: 'ImageGcTimeout',
} as const;

/** The error for a call of a port that did not settle within its timeout. */
export const timedOut = (what: string, timeoutMs: number) =>
  new NodeAgentError(imageGcErrorCodes.timeout, `no answer within ${timeoutMs} ms: ${what}`, { retryable: true });
