import { errorMessage, type PodAdmitAttributes, type PodAdmitHandler, type PodAdmitResult } from '@nodeagent/api';

/** Asks the handlers one after the other; the first refusal counts, and a handler that fails refuses. */
export async function admit(
  handlers: readonly PodAdmitHandler[],
  attributes: PodAdmitAttributes,
  signal: AbortSignal,
): Promise<PodAdmitResult> {
  for (const handler of handlers) {
    try {
      const result = await handler.admit(attributes, signal);
      if (!result.admit) return result;
    } catch (error) {
      signal.throwIfAborted();
      const message = `Allocate failed due to ${errorMessage(error)}, which is unexpected`;
      return { admit: false, reason: 'UnexpectedAdmissionError', message };
    }
  }
  return { admit: true };
}
