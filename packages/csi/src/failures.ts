import { NodeAgentError, transientOperationFailure } from '@nodeagent/api';
import { csiErrorCodes } from './errors.js';

/** Of every message of the CSI plugin. */
export const errorPrefix = 'kubernetes.io/csi: ';

/** A final error of the CSI plugin: the volume is not mounted. */
export const finalFailure = (message: string, cause?: unknown) =>
  new NodeAgentError(csiErrorCodes.operationFailed, errorPrefix + message, { retryable: true, cause });

/** A transient error of the CSI plugin: the state of the volume is unchanged. */
export const transientFailure = (message: string, cause?: unknown) => transientOperationFailure(errorPrefix + message, cause);
