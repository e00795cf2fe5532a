import type { Logger } from '@nodeagent/api';
import type { CriMethodCodec } from './method.js';

/** A completed call, for logs, metrics and recordings. */
export interface CriCallRecord {
  service: 'RuntimeService' | 'ImageService';
  /** As the CRI spells it: `ListContainers`. */
  method: string;
  /** The request itself, not a copy. That of PullImage may contain credentials. */
  request: unknown;
  /** The response; absent for streams and failures. */
  response?: unknown;
  /** Number of messages of a stream. */
  messages?: number;
  /** The error of a failed call. */
  error?: unknown;
  milliseconds: number;
}

/** Called after each call, with its outcome. Errors that it throws are logged and ignored. */
export type OnCriCall = (call: CriCallRecord) => void;

/** Calls the hook; an error in it must not fail the call. */
export function report(
  onCall: OnCriCall,
  logger: Logger,
  method: Pick<CriMethodCodec<unknown, unknown, boolean>, 'service' | 'name'>,
  record: Omit<CriCallRecord, 'service' | 'method'>,
): void {
  try {
    onCall({ service: method.service, method: method.name, ...record });
  } catch (error) {
    logger.warn({ method: method.name, err: error }, 'onCall threw');
  }
}
