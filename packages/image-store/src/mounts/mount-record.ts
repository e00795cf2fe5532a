import { isObject } from '@nodeagent/api/helpers';
import type { IdMappings } from './id-mapping.js';

/** What is mounted, written before it is. */
export interface MountRecord {
  /** The digest of the image's manifest, if it is one of the store. */
  image?: string;
  /** The folders, the uppermost first. */
  folders: readonly string[];
  isWritable: boolean;
  /** Where the tree is mounted besides. */
  target?: string;
  /** The part of the tree that is mounted there. */
  subPath?: string;
  idMappings?: IdMappings;
  selinuxContext?: string;
  /** The name of the tree with shifted owners. */
  shiftedTree?: string;
}

export const encodeMountRecord = (record: MountRecord): string => JSON.stringify({ version: 1, ...record });

/** Undefined if the text is no record, such as of a disk that lost its end. */
export function decodeMountRecord(text: string): MountRecord | undefined {
  try {
    const { version, ...record } = JSON.parse(text);
    return version === 1 && isObject(record) && Array.isArray(record.folders) ? (record as unknown as MountRecord) : undefined;
  } catch {
    return undefined;
  }
}
