import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, errorMessage, isObject, type Logger, NodeAgentError, replaceFile, silentLogger } from '@nodeagent/api';
import { imageErrorCodes } from './errors.js';
import type { ImagePulledRecord, ImagePullIntent, PullRecordStore } from './pull-record.js';

const apiVersion = 'kubelet.config.k8s.io/v1beta1';
const filePrefix = 'sha256-';
/** What an agent that was killed while it wrote has left. */
const unfinishedSuffix = '.tmp';

export interface FilePullRecordsOptions {
  /** The folder; the kubelet's is `image_manager` in its root folder. Made with its two subfolders when first needed. */
  directory: string;
  logger?: Logger;
}

/**
 * Records as files in the form and place of the kubelet's own, so that either agent finds what the other left: `pulling/sha256-<hash>` for
 * intents, `pulled/sha256-<hash>` for records, written to a temporary file, flushed and renamed.
 */
export function createFilePullRecords({ directory, logger = silentLogger }: FilePullRecordsOptions): PullRecordStore {
  const intents = folder<ImagePullIntent>(join(directory, 'pulling'), 'ImagePullIntent', logger, parseIntent, ({ image }) => image);
  const records = folder<ImagePulledRecord>(
    join(directory, 'pulled'),
    'ImagePulledRecord',
    logger,
    parseRecord,
    ({ imageRef }) => imageRef,
  );
  return {
    getIntent: intents.get,
    writeIntent: intents.write,
    deleteIntent: intents.remove,
    listIntents: intents.list,
    getPulledRecord: records.get,
    writePulledRecord: records.write,
    deletePulledRecord: records.remove,
    listPulledRecords: records.list,
  };
}

interface Folder<T> {
  get(key: string): Promise<T | undefined>;
  write(entry: T): Promise<void>;
  remove(key: string): Promise<void>;
  list(): Promise<T[]>;
}

/** One file an entry; a file whose entry has another key than its name says counts as absent. */
function folder<T extends object>(
  path: string,
  kind: string,
  logger: Logger,
  parse: (value: Record<string, unknown>) => T | undefined,
  keyOf: (entry: T) => string,
): Folder<T> {
  const fileOf = (key: string) => join(path, filePrefix + createHash('sha256').update(key).digest('hex'));
  const failed = (action: string, cause: unknown) =>
    new NodeAgentError(imageErrorCodes.pullRecordError, `${action} ${kind} in ${path}: ${errorMessage(cause)}`, {
      cause,
      details: { path },
    });

  const read = async (file: string): Promise<T | undefined> => {
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw failed('unable to read', error);
    }
    try {
      const value: unknown = JSON.parse(text);
      const entry = isObject(value) ? parse(value) : undefined;
      if (entry) return entry;
    } catch (error) {
      throw failed('unable to decode', error);
    }
    throw failed('unable to decode', 'not of this kind');
  };

  return {
    async get(key) {
      const entry = await read(fileOf(key));
      return entry && keyOf(entry) === key ? entry : undefined;
    },
    async write(entry) {
      const file = fileOf(keyOf(entry));
      try {
        await replaceFile(file, JSON.stringify({ kind, apiVersion, ...entry }), 0o700);
      } catch (error) {
        throw failed('unable to write', error);
      }
    },
    async remove(key) {
      await rm(fileOf(key), { force: true }).catch((error: unknown) => {
        throw failed('unable to remove', error);
      });
    },
    async list() {
      const names = await readdir(path).catch((error: unknown) => {
        if (errorCode(error) === 'ENOENT') return [];
        throw failed('unable to list', error);
      });
      const entries: T[] = [];
      for (const name of names.filter((each) => each.startsWith(filePrefix) && !each.endsWith(unfinishedSuffix)).sort()) {
        try {
          const entry = await read(join(path, name));
          if (entry) entries.push(entry);
        } catch (error) {
          logger.warn({ file: name, error: errorMessage(error) }, 'ignoring a pull record that cannot be read');
        }
      }
      return entries;
    },
  };
}

function parseIntent({ image }: Record<string, unknown>): ImagePullIntent | undefined {
  return typeof image === 'string' ? { image } : undefined;
}

/** The kubelet leaves an empty mapping out. */
function parseRecord({ imageRef, lastUpdatedTime = '', credentialMapping = {} }: Record<string, unknown>): ImagePulledRecord | undefined {
  if (typeof imageRef !== 'string' || typeof lastUpdatedTime !== 'string' || !isMapping(credentialMapping)) return undefined;
  return { lastUpdatedTime, imageRef, credentialMapping };
}

function isMapping(value: unknown): value is ImagePulledRecord['credentialMapping'] {
  return isObject(value) && Object.values(value).every(isObject);
}
