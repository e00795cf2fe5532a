import { type IdMappings, requireIdMappings } from './id-mapping.js';
import { isSelinuxContext } from './overlay-options.js';

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
    return version === 1 && isMountRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

function isMountRecord(record: Record<string, unknown>): record is Record<string, unknown> & MountRecord {
  const { folders, isWritable, image, target, subPath, idMappings, selinuxContext, shiftedTree } = record;
  const isPath = (path: unknown) => typeof path === 'string' && path.startsWith('/');
  if (idMappings !== undefined) requireIdMappings(idMappings as IdMappings);
  return (
    Array.isArray(folders) &&
    folders.every(isPath) &&
    typeof isWritable === 'boolean' &&
    (target === undefined || isPath(target)) &&
    [image, subPath].every((text) => text === undefined || typeof text === 'string') &&
    (selinuxContext === undefined || isSelinuxContext(selinuxContext)) &&
    (shiftedTree === undefined || /^[a-f0-9]{64}$/.test(String(shiftedTree)))
  );
}
