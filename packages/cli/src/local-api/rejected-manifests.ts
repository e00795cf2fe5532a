import { basename } from 'node:path';
import { errorHint, type NodeAgentError } from '@nodeagent/api';
import type { PodRow } from '../terminal/pod-row.js';

/** A manifest, or one document of it, that describes no pod that can run. */
export interface RejectedManifest {
  /** The file or URL. */
  file: string;
  /** The document's number in its file, if there are several. */
  document?: number;
  /** `NotAPod`, `InvalidManifest`, `StaticPodReference` or `UnreadableManifest`. */
  code: string;
  message: string;
  hint?: string;
}

/** The errors of the static pod sources, each by its source. */
export interface RejectedManifests {
  /** Receives all current errors of one source. */
  of(source: string): (errors: readonly NodeAgentError[]) => void;
  list(): RejectedManifest[];
}

export function createRejectedManifests(): RejectedManifests {
  const bySource = new Map<string, readonly NodeAgentError[]>();
  return {
    of: (source) => (errors) => void bySource.set(source, errors),
    list: () => [...bySource.values()].flat().map(rejected),
  };
}

function rejected(error: NodeAgentError): RejectedManifest {
  const { file = '', document } = error.details as { file?: string; document?: number };
  const hint = errorHint(error);
  return {
    file,
    ...(document !== undefined && { document }),
    code: error.code,
    message: error.message,
    ...(hint !== undefined && { hint }),
  };
}

/** The table row of a rejected manifest, beside those of the pods. */
export function rejectedRow({ file, document, code, message, hint }: RejectedManifest): PodRow {
  return {
    name: document === undefined ? basename(file) : `${basename(file)}#${document}`,
    ready: '-',
    status: code,
    restarts: '-',
    age: '-',
    lastEvent: hint === undefined ? message : `${message} (${hint})`,
    health: 'bad',
  };
}
