import { join } from 'node:path';
import { type Logger, silentLogger } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import type { ImagePulledRecord, ImagePullIntent, PullRecordStore } from './pull-record.js';
import { createRecordFolder, type RecordFormat } from './record-folder.js';

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
  const { directory, logger = silentLogger } = options;
  const intents = createRecordFolder(join(directory, 'pulling'), intentFormat, logger);
  const records = createRecordFolder(join(directory, 'pulled'), recordFormat, logger);
  return {
    getIntent: (image) => intents.get(image),
    writeIntent: (intent) => intents.write(intent),
    deleteIntent: (image) => intents.remove(image),
    listIntents: () => intents.list(),
    getPulledRecord: (imageRef) => records.get(imageRef),
    writePulledRecord: (record) => records.write(record),
    deletePulledRecord: (imageRef) => records.remove(imageRef),
    listPulledRecords: () => records.list(),
  };
}

const intentFormat: RecordFormat<ImagePullIntent> = { kind: 'ImagePullIntent', parse: parseIntent, keyOf: ({ image }) => image };
const recordFormat: RecordFormat<ImagePulledRecord> = { kind: 'ImagePulledRecord', parse: parseRecord, keyOf: ({ imageRef }) => imageRef };

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
