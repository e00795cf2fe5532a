import { apiStatusOf, errorCode, type Random } from '@nodeagent/api';

/** How often an event is tried to be written. */
const mostTries = 12;
const pauseMs = 10_000;

/**
 * How long to wait, in milliseconds, before an event is tried to be written once more after `tries` failures; undefined if it is given
 * up. The API server's word is final; one that cannot be reached is tried again. The first wait is random, so that the nodes do not all
 * come back at the same moment.
 */
export function nextTry(error: unknown, tries: number, random: Random): number | undefined {
  if (isFinal(error) || tries >= mostTries) return undefined;
  return tries === 1 ? Math.round(pauseMs * random()) : pauseMs;
}

/** Whether the same call would fail in the same way again. */
export function isFinal(error: unknown): boolean {
  if (apiStatusOf(error) !== undefined) return true;
  return errorCode(error) !== undefined && (error as { retryable?: unknown }).retryable === false;
}

/** Whether the refusal is how things are, and nobody has to be told: the event is there already, or its namespace is going away. */
export function isExpected(error: unknown): boolean {
  const status = apiStatusOf(error);
  return status?.reason === 'AlreadyExists' || (status?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false);
}
