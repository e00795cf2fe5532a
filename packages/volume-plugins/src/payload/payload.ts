import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { volumePluginsErrorCodes } from '../errors.js';

/** A file as a volume is to have it. */
export interface FileProjection {
  data: Uint8Array;
  /** Unix mode bits. */
  mode: number;
  /** Who is to own it. Default whoever writes it. */
  fsUser?: number;
}

/** The files of a volume by their path in it. */
export type Payload = Map<string, FileProjection>;

/** The API server sets a default; a pod without one has not been through its defaulting. */
export function requireDefaultMode(defaultMode: number | undefined): number {
  if (defaultMode === undefined) throw payloadError('no defaultMode used, not even the default value for it');
  return defaultMode;
}

export function payloadError(message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(volumePluginsErrorCodes.invalidPayload, message, { retryable: true, cause });
}

/** One error for all: its text, or `[one, other]` without repetitions. */
export function throwIfAny(errors: readonly unknown[]): void {
  const texts = [...new Set(errors.map(errorMessage))];
  if (texts.length === 1) throw errors[0];
  if (texts.length > 1) throw payloadError(`[${texts.join(', ')}]`);
}
