import type { Logger, NodeAgentError } from '@nodeagent/api';
import type { DuplicatePod, ManifestFile } from './file-source-state.js';

export interface FileReportOptions {
  logger: Logger;
  onError: (error: NodeAgentError) => void;
  onWarning: (message: string) => void;
}

/** Reports errors and warnings of manifests once, when they appear or change, and logs when a manifest is valid again. */
export interface FileReport {
  /** Reports the error of the whole path; undefined if the path is readable. */
  path(error: NodeAgentError | undefined): void;
  file(file: ManifestFile): void;
  /** Reports all current duplicates. */
  duplicates(duplicates: readonly DuplicatePod[]): void;
  /** Forgets the problems of removed files. */
  keepOnly(files: ReadonlySet<string>): void;
  forget(file: string): void;
}

export function createFileReport({ logger, onError, onWarning }: FileReportOptions): FileReport {
  const errors = new Map<string, string>();
  const warnings = new Map<string, string>();
  let pathError: string | undefined;
  let warnedDuplicates = new Set<string>();

  /** An error of the user's callback must not stop the source. */
  const guarded = (callback: () => void) => {
    try {
      callback();
    } catch (error) {
      logger.error({ err: error }, 'a callback of the file source failed');
    }
  };
  const emitError = (error: NodeAgentError) => {
    logger.error({ err: error }, 'cannot read manifests');
    guarded(() => onError(error));
  };
  const warn = (message: string) => {
    logger.warn(message);
    guarded(() => onWarning(message));
  };

  return {
    path(error) {
      if (error !== undefined && error.message !== pathError) emitError(error);
      pathError = error?.message;
    },
    file({ file, documents }) {
      const refusals = documents.flatMap(({ error }) => (error === undefined ? [] : [error]));
      const current = refusals.map(({ message }) => message).join('\n');
      if (current !== (errors.get(file) ?? '')) {
        for (const error of refusals) emitError(error);
        if (current === '') logger.info({ file }, 'the manifest is valid again');
      }
      put(errors, file, current);
      const noticed = documents.flatMap((document) => document.warnings);
      if (noticed.join('\n') !== (warnings.get(file) ?? '')) for (const message of noticed) warn(message);
      put(warnings, file, noticed.join('\n'));
    },
    duplicates(duplicates) {
      const now = new Set<string>();
      for (const { fullName, used, ignored } of duplicates) {
        const message =
          used === ignored
            ? `${used}: the pod ${fullName} occurs twice; the last document counts`
            : `${ignored}: the pod ${fullName} is also in ${used}, which counts because it comes later in the order of names`;
        now.add(message);
        if (!warnedDuplicates.has(message)) warn(message);
      }
      warnedDuplicates = now;
    },
    keepOnly(files) {
      for (const map of [errors, warnings]) for (const file of map.keys()) if (!files.has(file)) map.delete(file);
    },
    forget(file) {
      errors.delete(file);
      warnings.delete(file);
    },
  };
}

function put(map: Map<string, string>, key: string, value: string): void {
  if (value === '') map.delete(key);
  else map.set(key, value);
}
