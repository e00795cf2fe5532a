import { errorMessage, type PodAdmitAttributes, type PodAdmitHandler, type PodAdmitResult } from '@nodeagent/api';

/**
 * Calls the handlers in order until one refuses. A handler that fails refuses. Rejects with the signal's reason as soon as it aborts, even
 * if a handler ignores the signal.
 */
export async function admit(
  handlers: readonly PodAdmitHandler[],
  attributes: PodAdmitAttributes,
  signal: AbortSignal,
): Promise<PodAdmitResult> {
  for (const handler of handlers) {
    try {
      const result = await unlessAborted(signal, async () => handler.admit(attributes, signal));
      if (!result.admit) return result;
    } catch (error) {
      signal.throwIfAborted();
      const message = `Allocate failed due to ${errorMessage(error)}, which is unexpected`;
      return { admit: false, reason: 'UnexpectedAdmissionError', message };
    }
  }
  return { admit: true };
}

function unlessAborted<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    ask()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort));
  });
}
