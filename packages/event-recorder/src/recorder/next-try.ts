import { apiStatusOf, errorCode, type Random } from '@nodeagent/api';

/** Maximum number of attempts to write an event. */
const maxTries = 12;
const pauseMs = 10_000;

/**
 * Delay in milliseconds before the next attempt to write an event after `tries` failures; undefined if the event is
 * dropped. A rejection by the API server is final; an unreachable server is retried. The first delay is random, so that the nodes do not all
 * retry at the same time.
 */
export function nextTry(error: unknown, tries: number, random: Random): number | undefined {
  if (isFinal(error) || tries >= maxTries) return undefined;
  return tries === 1 ? Math.round(pauseMs * random()) : pauseMs;
}

/** Whether the same call would fail in the same way again. */
export function isFinal(error: unknown): boolean {
  if (apiStatusOf(error) !== undefined) return true;
  return errorCode(error) !== undefined && (error as { retryable?: unknown }).retryable === false;
}

/** Whether the rejection is expected and needs no error log: the event exists already, or its namespace is terminating. */
export function isExpected(error: unknown): boolean {
  const status = apiStatusOf(error);
  return status?.reason === 'AlreadyExists' || (status?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false);
}
