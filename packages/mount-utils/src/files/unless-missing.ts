import { errorCode } from '@nodeagent/api';

/** Resolves to the result, or to `otherwise` if the file does not exist. */
export async function unlessMissing<T, U>(promise: Promise<T>, otherwise: U): Promise<T | U> {
  return promise.catch((error: unknown) => {
    ignoreMissing(error);
    return otherwise;
  });
}

/** Ignores the error of a missing file; throws any other error. */
export function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}
