import { NodeAgentError } from '@nodeagent/api';

/** The `code` of every error of this package. The CRI ones are those of a CRI client for the gRPC status of the same name. */
export const ociRuntimeErrorCodes = {
  /** The request is invalid, also in combination with the image or the machine. Details: `field`. */
  invalidArgument: 'CRI_INVALID_ARGUMENT',
} as const;

export const invalidArgument = (field: string, message: string, hint?: string) =>
  new NodeAgentError(ociRuntimeErrorCodes.invalidArgument, `${field}: ${message}`, { details: { field }, hint });
