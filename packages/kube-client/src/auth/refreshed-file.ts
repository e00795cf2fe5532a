import { type Clock, errorMessage, type Logger, NodeAgentError } from '@nodeagent/api';
import type { KubeconfigFiles } from '../config/cluster-config.js';
import { kubeClientErrorCodes } from '../errors.js';

/** A file that somebody else rewrites, such as a token or a rotated certificate. */
export interface RefreshedFile {
  /** Its text, not older than a minute. What was read before is kept when it cannot be read any more; `CredentialFile` if nothing was. */
  read(): Promise<string>;
  /** The next read goes to the file. */
  expire(): void;
}

const freshMs = 60_000;

/** `problemOf` tells what is wrong with a text, such as that of a file which is just being written. */
export function createRefreshedFile(
  path: string,
  { files, clock, logger }: { files: KubeconfigFiles; clock: Clock; logger: Logger },
  problemOf: (text: string) => string | undefined,
): RefreshedFile {
  let text: string | undefined;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<string> | undefined;

  const readNow = async () => {
    const at = clock.monotonic();
    try {
      const found = await files.readFile(path);
      const problem = problemOf(found);
      if (problem !== undefined) throw new Error(problem);
      text = found;
    } catch (error) {
      if (text === undefined) {
        throw new NodeAgentError(kubeClientErrorCodes.credentialFile, `cannot read ${path}: ${errorMessage(error)}`, {
          retryable: true,
          details: { file: path },
          cause: error,
        });
      }
      logger.warn({ file: path, err: error }, 'a credential file cannot be read; the last good version stays in use');
    }
    readAt = at;
    return text;
  };

  return {
    async read() {
      if (text !== undefined && clock.monotonic() - readAt < freshMs) return text;
      reading ??= readNow().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    expire() {
      readAt = Number.NEGATIVE_INFINITY;
    },
  };
}
