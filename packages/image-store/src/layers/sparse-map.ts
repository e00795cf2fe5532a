import { unsafeLayer } from './layer-path.js';
import type { PaxRecord } from './pax-records.js';
import { numberAt, padded, sizeOf } from './tar-numbers.js';

/** Where a sparse file has data; the rest of it are holes. The archive has the data of all pieces, one after another. */
export interface SparseMap {
  pieces: readonly SparsePiece[];
  /** Bytes of the file, with its holes. */
  fileSize: number;
}

export interface SparsePiece {
  offset: number;
  size: number;
}

/** The pieces of a header of old GNU tar or of a block that extends it: at most `count` at `start`, each an offset and a size. */
export function oldSparsePieces(block: Buffer, start: number, count: number): SparsePiece[] {
  const pieces: SparsePiece[] = [];
  for (let at = start; at < start + 24 * count && block[at] !== 0; at += 24)
    pieces.push({ offset: numberAt(block, at, 12), size: numberAt(block, at + 12, 12) });
  return pieces;
}

/** The pieces of an extended header of GNU tar's formats 0.0 and 0.1; undefined if it has none. */
export function paxSparsePieces(records: readonly PaxRecord[]): SparsePiece[] | undefined {
  const texts = (key: RegExp) => records.filter((record) => key.test(record.key)).map(({ value }) => value.toString('latin1'));
  const map = texts(/^GNU\.sparse\.map$/).at(-1);
  if (map !== undefined) return piecesOf(map === '' ? [] : map.split(','));
  const numbers = texts(/^GNU\.sparse\.(offset|numbytes)$/);
  return numbers.length === 0 ? undefined : piecesOf(numbers);
}

/** The pieces of offsets and sizes, which alternate. */
export function piecesOf(numbers: readonly string[]): SparsePiece[] {
  if (numbers.length % 2 === 1) throw unsafeLayer('', 'has a malformed sparse map');
  return Array.from({ length: numbers.length / 2 }, (_, index) => ({
    offset: sizeOf(numbers[2 * index] ?? ''),
    size: sizeOf(numbers[2 * index + 1] ?? ''),
  }));
}

/**
 * Throws `UnsafeLayer` unless the pieces ascend within the file and have as much data as the archive has for them. tar(1) believes a map: by one with more data, it
 * takes the entries that follow for data, and what then comes, also content of files, for entries.
 */
export function checkSparseMap(name: string, { pieces, fileSize }: SparseMap, dataSize: number): void {
  let [end, data] = [0, 0];
  for (const { offset, size } of pieces) {
    if (offset < end) throw unsafeLayer(name, 'has a sparse map whose pieces do not ascend');
    end = offset + size;
    data += size;
  }
  if (end > fileSize) throw unsafeLayer(name, `has a sparse map up to ${end} bytes for a file of ${fileSize}`);
  if (data !== dataSize) throw unsafeLayer(name, `has a sparse map of ${data} bytes, but ${dataSize} bytes of data`);
}

/** The records of a sparse file in GNU tar's format 1.0. */
export const sparseRecords = ({ fileSize }: SparseMap): PaxRecord[] =>
  Object.entries({ major: 1, minor: 0, realsize: fileSize }).map(([key, value]) => ({
    key: `GNU.sparse.${key}`,
    value: Buffer.from(String(value)),
  }));

/** The blocks of a map in that format, which are before the data. A hole at the end needs an empty piece there. */
export function encodeSparseMap({ pieces, fileSize }: SparseMap): Buffer {
  const written = [...pieces.filter(({ size }) => size > 0), { offset: fileSize, size: 0 }];
  const text = [written.length, ...written.flatMap(({ offset, size }) => [offset, size])].map((number) => `${number}\n`).join('');
  const blocks = Buffer.alloc(padded(text.length));
  blocks.write(text, 'latin1');
  return blocks;
}
