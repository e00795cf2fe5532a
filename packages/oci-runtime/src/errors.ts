import { NodeAgentError } from '@nodeagent/api';

/** The `code` of every error of this package. The CRI ones are those of a CRI client for the gRPC status of the same name. */
export const ociRuntimeErrorCodes = {
  /** The request is invalid, also in combination with the image or the machine. Details: `field`. */
  invalidArgument: 'CRI_INVALID_ARGUMENT',
  /** A file is not a specification of the Container Device Interface. Details: `field`. */
  invalidCdiSpec: 'InvalidCdiSpec',
  /** A file is not a seccomp profile. Details: `field`. */
  invalidSeccompProfile: 'InvalidSeccompProfile',
} as const;

export const invalidArgument = (field: string, message: string, hint?: string) =>
  new NodeAgentError(ociRuntimeErrorCodes.invalidArgument, `${field}: ${message}`, { details: { field }, hint });

export const invalidCdiSpec = (field: string, problem: string) =>
  new NodeAgentError(ociRuntimeErrorCodes.invalidCdiSpec, `invalid CDI specification: ${field}: ${problem}`, { details: { field } });

export const invalidSeccompProfile = (field: string, problem: string) =>
  new NodeAgentError(ociRuntimeErrorCodes.invalidSeccompProfile, `invalid seccomp profile: ${field} ${problem}`, { details: { field } });
