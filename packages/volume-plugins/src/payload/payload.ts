import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { volumePluginsErrorCodes } from '../errors.js';

/** A file to write to a volume. */
export interface FileProjection {
  data: Uint8Array;
  /** Unix mode bits. */
  mode: number;
  /** UID of the owner. Default: the user of the agent. */
  fsUser?: number;
}

/** The files of a volume by their path in it. */
export type Payload = Map<string, FileProjection>;

/** The API server sets a default; a pod without one has not been defaulted. */
export function requireDefaultMode(defaultMode: number | undefined): number {
  if (defaultMode === undefined) throw payloadError('no defaultMode used, not even the default value for it');
  return defaultMode;
}

export function payloadError(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(volumePluginsErrorCodes.invalidPayload, message, { retryable: true, cause });
}

/** Throws one error for all: its message, or `[one, other]` without duplicates. */
export function throwIfAny(errors: readonly unknown[]): void {
  const texts = [...new Set(errors.map(errorMessage))];
  if (texts.length === 1) throw errors[0];
  if (texts.length > 1) throw payloadError(`[${texts.join(', ')}]`);
}
