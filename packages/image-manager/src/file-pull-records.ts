import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  checkOptionNames,
  errorCode,
  errorMessage,
  isObject,
  type Logger,
  NodeAgentError,
  readRegularFile,
  replaceFile,
  silentLogger,
} from '@nodeagent/api';
import { imageErrorCodes } from './errors.js';
import type { ImagePulledRecord, ImagePullIntent, PullRecordStore } from './pull-record.js';

const apiVersion = 'kubelet.config.k8s.io/v1beta1';
const filePrefix = 'sha256-';
/** Temporary files of an agent that was killed during a write. */
const unfinishedSuffix = '.tmp';

export interface FilePullRecordsOptions {
  /** The folder; the kubelet's is `image_manager` in its root folder. Created with its two subfolders when first needed. */
  directory: string;
  logger?: Logger;
}

/**
 * Records as files with the kubelet's format and paths, so that agent and kubelet can replace each other: `pulling/sha256-<hash>` for
 * intents, `pulled/sha256-<hash>` for records. Each is written to a temporary file, synced to disk and renamed.
 */
export function createFilePullRecords(options: FilePullRecordsOptions): PullRecordStore {
  checkOptionNames('createFilePullRecords', options, { directory: true, logger: true });
  const { directory, logger = silentLogger } = options;
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

/**
 * Without the file of a damaged record every pod could use the image under the default policy: an image without a record counts as
 * preloaded.
 */
const repair =
  'Pull the image again: a successful pull replaces the file. If no pod needs the image, remove the image from the runtime, then the file.';

/** One file per entry; a file whose entry does not match its name is ignored. */
function folder<T extends object>(
  path: string,
  kind: string,
  logger: Logger,
  parse: (value: Record<string, unknown>) => T | undefined,
  keyOf: (entry: T) => string,
): Folder<T> {
  const nameOf = (key: string) => filePrefix + createHash('sha256').update(key).digest('hex');
  const fileOf = (key: string) => join(path, nameOf(key));
  const failed = (action: string, file: string, cause: unknown, hint?: string) =>
    new NodeAgentError(imageErrorCodes.pullRecordError, `${action} ${kind} in ${file}: ${errorMessage(cause)}`, {
      cause,
      details: { path: file },
      ...(hint !== undefined && { hint }),
    });

  /** Damaged files that were already logged, so that garbage collection does not log them every five minutes. */
  let reported: ReadonlySet<string> = new Set();

  const read = async (file: string): Promise<T | undefined> => {
    let text: string;
    try {
      text = await readRegularFile(file);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw failed('unable to read', file, error, repair);
    }
    try {
      const value: unknown = JSON.parse(text);
      const entry = isObject(value) ? parse(value) : undefined;
      if (entry) return entry;
    } catch (error) {
      throw failed('unable to decode', file, error, repair);
    }
    throw failed('unable to decode', file, `no valid ${kind}`, repair);
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
        throw failed('unable to write', file, error);
      }
    },
    async remove(key) {
      await rm(fileOf(key), { force: true }).catch((error: unknown) => {
        throw failed('unable to remove', fileOf(key), error);
      });
    },
    async list() {
      const names = await readdir(path).catch((error: unknown) => {
        if (errorCode(error) === 'ENOENT') return [];
        throw failed('unable to list', path, error);
      });
      const entries: T[] = [];
      const damaged = new Set<string>();
      /** Whether the file has not been logged yet. */
      const isNew = (file: string) => {
        damaged.add(file);
        return !reported.has(file);
      };
      for (const name of names.filter((each) => each.startsWith(filePrefix) && !each.endsWith(unfinishedSuffix)).sort()) {
        const file = join(path, name);
        try {
          const entry = await read(file);
          if (entry === undefined) continue;
          entries.push(entry);
          if (nameOf(keyOf(entry)) !== name && isNew(file)) {
            logger.warn({ file, hint: 'Remove the file.' }, `${kind} in the file of another image is ignored`);
          }
        } catch (error) {
          if (isNew(file)) logger.warn({ file, err: error }, `damaged ${kind}: pods must pull its image`);
        }
      }
      reported = damaged;
      return entries;
    },
  };
}

function parseIntent({ image }: Record<string, unknown>): ImagePullIntent | undefined {
  return typeof image === 'string' ? { image } : undefined;
}

/** The kubelet omits an empty mapping. */
function parseRecord({ imageRef, lastUpdatedTime = '', ...fields }: Record<string, unknown>): ImagePulledRecord | undefined {
  const credentialMapping = fields.credentialMapping ?? {};
  if (typeof imageRef !== 'string' || typeof lastUpdatedTime !== 'string' || !isMapping(credentialMapping)) return undefined;
  return { lastUpdatedTime, imageRef, credentialMapping };
}

function isMapping(value: unknown): value is ImagePulledRecord['credentialMapping'] {
  return isObject(value) && Object.values(value).every(isCredentials);
}

function isCredentials(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { kubernetesSecrets, kubernetesServiceAccounts, nodePodsAccessible } = value;
  return (
    isListOf(kubernetesSecrets ?? [], ['uid', 'namespace', 'name', 'credentialHash']) &&
    isListOf(kubernetesServiceAccounts ?? [], ['uid', 'namespace', 'name']) &&
    typeof (nodePodsAccessible ?? false) === 'boolean'
  );
}

const isListOf = (value: unknown, fields: readonly string[]): boolean =>
  Array.isArray(value) && value.every((entry) => isObject(entry) && fields.every((field) => typeof entry[field] === 'string'));
