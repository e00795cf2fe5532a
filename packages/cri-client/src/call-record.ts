import type { Logger } from '@nodeagent/api';
import type { CriMethodCodec } from './method.js';

/** A call that has ended, for logs, metrics and recordings. */
export interface CriCallRecord {
  service: 'RuntimeService' | 'ImageService';
  /** As the CRI spells it: `ListContainers`. */
  method: string;
  /** The request itself, not a copy. That of PullImage may hold credentials. */
  request: unknown;
  /** The answer; absent for streams and failures. */
  response?: unknown;
  /** How many messages a stream had. */
  messages?: number;
  /** What the call failed with. */
  error?: unknown;
  milliseconds: number;
}

/** Called after each call, with its outcome; what it throws is logged and otherwise ignored. */
export type OnCriCall = (call: CriCallRecord) => void;

/** Hands a record to the hook, which must not be able to break a call. */
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
