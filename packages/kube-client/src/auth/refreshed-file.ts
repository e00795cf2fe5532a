import { type Clock, errorMessage, type Logger, NodeAgentError } from '@nodeagent/api';
import type { KubeconfigFiles } from '../config/cluster-config.js';
import { kubeClientErrorCodes } from '../errors.js';

/** A file that another process rewrites, such as a token or a rotated certificate. */
export interface RefreshedFile {
  /** The text, at most a minute old. If the file cannot be read, the last text; rejects with `CredentialFile` without one. */
  read(): Promise<string>;
  /** Makes the next `read` read the file. */
  expire(): void;
}

const freshMs = 60_000;

/** `problemOf` validates the text; the file may be half-written. */
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
      logger.warn({ file: path, err: error }, 'could not read a credential file, using its last valid content');
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
