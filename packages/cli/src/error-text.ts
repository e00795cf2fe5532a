import { errorCode, errorMessage } from '@nodeagent/api';

/** A cause may lead back to its error. */
const maxCauses = 8;

/**
 * What an error says, for a log line: its message, then those of its causes that say something more. Only causes with a code of their own
 * count (the system's and ours): the text of others, such as a JSON parser's, may quote a secret.
 */
export function errorText(error: unknown): string {
  let text = errorMessage(error);
  let cause = causeOf(error);
  for (let depth = 0; depth < maxCauses && cause !== undefined; depth++, cause = causeOf(cause)) {
    const more = errorCode(cause) === undefined ? '' : errorMessage(cause);
    if (!text.includes(more)) text = text === '' ? more : `${text}: ${more}`;
  }
  return text;
}

const causeOf = (error: unknown) => (error as { cause?: unknown } | null | undefined)?.cause;
