import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';
import { ociRuntimeErrorCodes } from '../errors.js';

/** The codes of `@nodeagent/image-store`, as the codes of a CRI client. */
const codes: Readonly<Record<string, string>> = {
  InvalidImageName: ociRuntimeErrorCodes.invalidArgument,
  ImageNotFound: ociRuntimeErrorCodes.notFound,
  PlatformNotFound: ociRuntimeErrorCodes.notFound,
  UnknownImage: ociRuntimeErrorCodes.notFound,
  RegistryBlocked: ociRuntimeErrorCodes.permissionDenied,
  Unauthorized: ociRuntimeErrorCodes.permissionDenied,
  RegistryUnavailable: ociRuntimeErrorCodes.unavailable,
};

/** The kubelet recognises these errors by the beginning of their messages: `errors` of the CRI API. */
const prefixes: Readonly<Record<string, string>> = { RegistryUnavailable: 'RegistryUnavailable: ' };

/** An error of the image store as one of the CRI. One of the CRI, and that of an aborted signal, stays as it is. */
export function storeError(action: string, error: unknown, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  const code = errorCode(error) ?? '';
  if (code.startsWith('CRI_')) return error;
  return new NodeAgentError(codes[code] ?? ociRuntimeErrorCodes.unknown, `${prefixes[code] ?? ''}${action}: ${errorMessage(error)}`, {
    cause: error,
    ...(error instanceof NodeAgentError && { retryable: error.retryable, hint: error.hint, details: error.details }),
  });
}
