import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { join } from '@nodeagent/api/helpers';
import { podSourcesErrorCodes } from '../errors.js';
import { type DecodeManifestOptions, decodeManifest, type ManifestDocument } from '../manifest/decode-manifest.js';
import { placePrefix } from '../manifest/manifest-error.js';
import type { FileSourceStep, ManifestFile } from './file-source-state.js';
import { isMissing, type ManifestFileSystem } from './manifest-files.js';

const sizeLimit = 10 * 1024 * 1024;

/** Reads and decodes manifests. A file with unchanged text is not decoded again. */
export interface ManifestReader {
  /** Undefined if the file is missing or not a regular file. */
  readFile(file: string): Promise<ManifestFile | undefined>;
  /** All files of a folder whose names do not begin with a dot, in the order of their names. */
  readFolder(directory: string): Promise<ManifestFile[]>;
}

export function createManifestReader(files: ManifestFileSystem, nodeName: string, options: DecodeManifestOptions = {}): ManifestReader {
  const known = new Map<string, { text: string; documents: ManifestDocument[] }>();

  const readText = async (file: string): Promise<string | undefined> => {
    const found = await files.stat(file);
    if (found?.kind !== 'file') return undefined;
    const content = found.size > sizeLimit ? undefined : await files.read(file);
    if (content === undefined || content.length > sizeLimit) throw new Error(`larger than the limit of ${sizeLimit} bytes`);
    return new TextDecoder().decode(content);
  };

  const readFile = async (file: string): Promise<ManifestFile | undefined> => {
    try {
      const text = await readText(file);
      if (text === undefined) {
        known.delete(file);
        return undefined;
      }
      const last = known.get(file);
      if (last?.text === text) return { file, documents: last.documents };
      const documents = await decodeManifest(text, { source: 'file', file, nodeName }, options);
      known.set(file, { text, documents });
      return { file, documents };
    } catch (error) {
      known.delete(file);
      return isMissing(error) ? undefined : { file, documents: [{ document: 1, warnings: [], error: unreadable(file, error) }] };
    }
  };

  return {
    readFile,
    async readFolder(directory) {
      const names = (await files.list(directory)).filter((name) => !name.startsWith('.')).sort();
      const paths = names.map((name) => join(directory, name));
      const there = new Set(paths);
      for (const file of known.keys()) if (!there.has(file)) known.delete(file);
      const read: ManifestFile[] = [];
      for (const path of paths) {
        const file = await readFile(path);
        if (file !== undefined) read.push(file);
      }
      return read;
    },
  };
}

/** Reads all manifests of a path; `single`: the path is a file and not a folder. */
export async function scanPath(reader: ManifestReader, path: string, single: boolean): Promise<FileSourceStep> {
  if (!single) return { type: 'scan', single, files: await reader.readFolder(path) };
  const file = await reader.readFile(path);
  return file === undefined ? { type: 'missing' } : { type: 'scan', single, files: [file] };
}

/** Reads a file of a folder that has changed. */
export async function readChange(reader: ManifestReader, file: string): Promise<FileSourceStep> {
  const read = await reader.readFile(file);
  return read === undefined ? { type: 'delete', file } : { type: 'change', file: read };
}

/** The error of a file or folder that exists but cannot be read; the next check reads it again. */
export function unreadable(file: string, cause: unknown): NodeAgentError {
  return new NodeAgentError(podSourcesErrorCodes.unreadableManifest, `${placePrefix({ file })}cannot be read: ${errorMessage(cause)}`, {
    retryable: true,
    details: { file },
    cause,
  });
}
