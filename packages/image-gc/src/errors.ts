import { NodeAgentError } from '@nodeagent/api';

/** The codes of the errors that this package makes. */
export const imageGcErrorCodes = {
  /** An option or setting is missing or out of range; `details.field` names it. */
  invalidOption: 'InvalidOption',
  /** The images could not be listed. Retryable. */
  imagesUnknown: 'ImagesUnknown',
  /** Which images are in use could not be found out. Retryable. */
  useUnknown: 'ImageUseUnknown',
  /** How full the file system is could not be found out. Retryable. */
  imageFsUnknown: 'ImageFsUnknown',
  /** The file system of the images has no capacity. */
  invalidDiskCapacity: 'InvalidDiskCapacity',
  /** Images that were not used for too long could not be removed. Retryable. */
  oldImagesNotDeleted: 'OldImagesNotDeleted',
  /** Some image could not be removed to free space; others were tried. Retryable. */
  imagesNotDeleted: 'ImagesNotDeleted',
  /** All that could go is gone, and that is not enough. */
  freeDiskSpaceFailed: 'FreeDiskSpaceFailed',
  /** A part that was asked gave no answer in time, and is not waited for. Retryable. */
  timeout: 'ImageGcTimeout',
} as const;

/** The error of a part that has not answered within its time limit. */
export const timedOut = (what: string, timeoutMs: number) =>
  new NodeAgentError(imageGcErrorCodes.timeout, `no answer within ${timeoutMs} ms: ${what}`, { retryable: true });
