// @ts-expect-error: tar-stream has no types; that below is of what this package uses.
import * as tarHeaders from 'tar-stream/headers.js';
import { encodeFileName } from './file-name.js';
import { encodePaxRecords, type PaxRecord } from './pax-records.js';
import { encodeSparseMap, type SparseMap, sparseRecords } from './sparse-map.js';
import { blockSize, padded } from './tar-numbers.js';

/** What of a header block is replaced. */
export interface TarHeaderChanges {
  name: string;
  linkName?: string;
  /** The type, as a character. */
  type: string;
  size: number;
  records: readonly PaxRecord[];
}

/** Attributes of a folder. */
export interface FolderAttributes {
  mode: number;
  uid: number;
  gid: number;
  /** Nanoseconds since 1970. */
  mtimeNs: bigint;
}

const { encode } = tarHeaders as { encode(header: object): Buffer };
const longNameBytes = 100;

/**
 * The blocks of an entry before its content, as GNU tar reads them: those of its extended header and long names, then the header, whose name, target, type and size are
 * the given ones, whatever formats the archive mixes. Owner, mode, times and device numbers stay.
 */
export function tarBlocks(header: Buffer, { name, linkName = '', type, size, records }: TarHeaderChanges): Buffer[] {
  const block = Buffer.from(header);
  const [nameBytes, linkBytes] = [encodeFileName(name), encodeFileName(linkName)];
  const extended = size > maxOctalSize ? [{ key: 'size', value: Buffer.from(String(size)) }, ...records] : records;
  block.fill(0, 0, longNameBytes);
  block.fill(0, 157, 257);
  nameBytes.copy(block, 0, 0, longNameBytes);
  linkBytes.copy(block, 157, 0, longNameBytes);
  block.write(`${Math.min(size, maxOctalSize).toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  block.write(type, 156, 'latin1');
  block.fill(0, 345);
  block.write('ustar\x0000', 257, 'latin1');
  block.fill(0, 265, 329);
  writeChecksum(block);
  return [
    ...(extended.length > 0 ? special('x', encodePaxRecords(extended)) : []),
    ...(linkBytes.length > longNameBytes ? special('K', Buffer.concat([linkBytes, Buffer.alloc(1)])) : []),
    ...(nameBytes.length > longNameBytes ? special('L', Buffer.concat([nameBytes, Buffer.alloc(1)])) : []),
    block,
  ];
}

/** Those of a sparse file, with its map: in one format, whichever the archive has, for tar(1) reads several. */
export function sparseBlocks(header: Buffer, changes: TarHeaderChanges, map: SparseMap): Buffer[] {
  const mapBlocks = encodeSparseMap(map);
  const size = mapBlocks.length + changes.size;
  return [...tarBlocks(header, { ...changes, size, records: [...sparseRecords(map), ...changes.records] }), mapBlocks];
}

const maxOctalSize = 0o77777777777;

/** The blocks of a folder, with the attributes of its extended header. */
export function folderBlocks(name: string, { mode, uid, gid, mtimeNs }: FolderAttributes, more: readonly PaxRecord[] = []): Buffer[] {
  const record = (key: string, value: number | string) => ({ key, value: Buffer.from(String(value)) });
  const records = [record('uid', uid), record('gid', gid), record('mtime', secondsText(mtimeNs)), ...more];
  return tarBlocks(emptyHeader(mode), { name, type: '5', size: 0, records });
}

function secondsText(ns: bigint): string {
  const digits = String(ns < 0n ? -ns : ns).padStart(10, '0');
  return `${ns < 0n ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

/** The blocks of the character device 0/0 that hides a name of the layers below from overlayfs. */
export function whiteoutBlocks(header: Buffer, name: string, records: readonly PaxRecord[]): Buffer[] {
  const block = Buffer.from(header);
  block.write('0000000\0', 100, 'latin1');
  const owner = records.filter(({ key }) => key === 'uid' || key === 'gid');
  const blocks = tarBlocks(block, { name, type: '3', size: 0, records: owner });
  const last = blocks.at(-1);
  last?.write('0000000\x000000000\0', 329, 'latin1');
  if (last) writeChecksum(last);
  return blocks;
}

/** The end of an archive. */
export const endBlocks = Buffer.alloc(2 * blockSize);

const emptyHeader = (mode: number) =>
  encode({ name: '', mode, uid: 0, gid: 0, size: 0, mtime: new Date(0), type: 'directory', typeflag: 5 });

function special(type: string, content: Buffer): Buffer[] {
  const header = emptyHeader(0);
  header.write('././@LongLink', 0, 'latin1');
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write(type, 156, 'latin1');
  writeChecksum(header);
  return [header, content, Buffer.alloc(padded(content.length) - content.length)];
}

function writeChecksum(block: Buffer): void {
  block.fill(0x20, 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
}
