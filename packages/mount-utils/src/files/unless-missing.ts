import { errorCode } from '@nodeagent/api';

/** The answer, or the other value if there is no such file. */
export async function unlessMissing<T, U>(promise: Promise<T>, otherwise: U): Promise<T | U> {
  return promise.catch((error: unknown) => {
    ignoreMissing(error);
    return otherwise;
  });
}

/** For what is fine where there is no such file; throws any other error. */
export function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}
