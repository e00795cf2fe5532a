import { errorCode, errorMessage } from '@nodeagent/api';

/** Limits the chain of causes, which may be circular. */
const maxCauses = 8;

/**
 * The text of an error in a log line: its message and those of its causes that add information. Only causes with an error code (the
 * system's and ours) are included: other messages, such as a JSON parser's, may quote a secret.
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
