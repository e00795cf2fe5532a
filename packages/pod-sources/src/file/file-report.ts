import type { Logger, NodeAgentError } from '@nodeagent/api';
import { oneLine } from '../manifest/manifest-error.js';
import type { DuplicatePod, ManifestFile } from './file-source-state.js';

export interface FileReportOptions {
  logger: Logger;
  onError: (error: NodeAgentError) => void;
  onErrors: (errors: readonly NodeAgentError[]) => void;
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

export function createFileReport({ logger, onError, onErrors, onWarning }: FileReportOptions): FileReport {
  const errors = new Map<string, readonly NodeAgentError[]>();
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
  /** Reports all errors after a change of one file's. */
  const setErrors = (file: string, found: readonly NodeAgentError[]) => {
    if (found.length === 0) errors.delete(file);
    else errors.set(file, found);
    guarded(() => onErrors([...errors.values()].flat()));
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
      if (messagesOf(refusals) !== messagesOf(errors.get(file))) {
        for (const error of refusals) emitError(error);
        if (refusals.length === 0) logger.info({ file }, 'the manifest is valid again');
        setErrors(file, refusals);
      }
      const noticed = documents.flatMap((document) => document.warnings);
      if (noticed.join('\n') !== (warnings.get(file) ?? '')) for (const message of noticed) warn(message);
      put(warnings, file, noticed.join('\n'));
    },
    duplicates(duplicates) {
      const now = new Set<string>();
      for (const duplicate of duplicates) {
        const message = duplicateText(duplicate);
        now.add(message);
        if (!warnedDuplicates.has(message)) warn(message);
      }
      warnedDuplicates = now;
    },
    keepOnly(files) {
      for (const file of errors.keys()) if (!files.has(file)) setErrors(file, []);
      for (const file of warnings.keys()) if (!files.has(file)) warnings.delete(file);
    },
    forget(file) {
      if (errors.has(file)) setErrors(file, []);
      warnings.delete(file);
    },
  };
}

function duplicateText({ fullName, uid, used, ignored }: DuplicatePod): string {
  if (uid !== undefined)
    return `${ignored}: the pod ${fullName} has the UID "${oneLine(uid)}", which a pod in ${used} has too: only that one runs`;
  if (used === ignored) return `${used}: the pod ${fullName} occurs twice; the last document counts`;
  return `${ignored}: the pod ${fullName} is also in ${used}, which counts because it comes later in the order of names`;
}

const messagesOf = (errors: readonly NodeAgentError[] = []): string => errors.map(({ message }) => message).join('\n');

function put(map: Map<string, string>, key: string, value: string): void {
  if (value === '') map.delete(key);
  else map.set(key, value);
}
