import { promise, promiseSame } from './promises.js';

/** An entry of an archive, with texts as bytes in latin1. */
export interface StrictEntry {
  type: string;
  name: string;
  linkName: string;
  device: string;
  records: ReadonlyMap<string, string>;
}

const padded = (size: number) => Math.ceil(size / 512) * 512;
const untilZero = (text: string) => text.replace(/\0.*$/s, '');

/** The entries of an archive in the one form whose every reader finds the same entries. Throws `BrokenPromise` for any other. */
export function strictEntries(archive: Buffer): StrictEntry[] {
  const entries: StrictEntry[] = [];
  let special = new Map<string, Buffer>();
  for (let at = 0; at < archive.length; ) {
    const block = archive.subarray(at, at + 512);
    at += 512;
    if (block.every((byte) => byte === 0)) continue;
    const { type, size } = fixedFields(block);
    const content = archive.subarray(at, at + size);
    at += padded(size);
    promise(at <= archive.length, `an entry of ${size} bytes is cut off`);
    if (/[xKL]/.test(type)) {
      promise(!special.has(type), `two entries of type ${type} for one`);
      special.set(type, content);
      continue;
    }
    const records = recordsOf(special.get('x') ?? Buffer.alloc(0));
    if (records.has('GNU.sparse.major')) checkMap(content, Number(records.get('GNU.sparse.realsize')));
    else promise(type === '0' || size === 0, `an entry of type ${type} with content`);
    const text = (start: number, long: string) =>
      untilZero(special.get(long)?.toString('latin1') ?? block.toString('latin1', start, start + 100));
    entries.push({ type, name: text(0, 'L'), linkName: text(157, 'K'), device: block.toString('latin1', 329, 345), records });
    special = new Map();
  }
  promiseSame(special.size, 0, 'special entries at the end');
  return entries;
}

function fixedFields(block: Buffer): { type: string; size: number } {
  const type = block.toString('latin1', 156, 157);
  promise(/[0-6xKL]/.test(type), `a header of type ${JSON.stringify(type)}`);
  promiseSame(block.toString('latin1', 257, 265), 'ustar\x0000', 'the format');
  promise(/^\0*$/.test(block.toString('latin1', 345)), 'a prefix of the name');
  const size = block.toString('latin1', 124, 136);
  promise(/^[0-7]{11}\0$/.test(size), `the size ${JSON.stringify(size)}`);
  const sum = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  promiseSame(Number.parseInt(block.toString('latin1', 148, 154), 8), sum, 'the checksum');
  return { type, size: Number.parseInt(size, 8) };
}

function recordsOf(content: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let rest = content.toString('latin1'); rest !== ''; ) {
    const length = Number(/^([1-9]\d*) /.exec(rest)?.[1]);
    const [, key, value] = /^\d+ ([^=\0\n]+)=(.*)\n$/s.exec(rest.slice(0, length)) ?? [];
    promise(key !== undefined && value !== undefined, `the extended header ${JSON.stringify(rest)}`);
    promise(!records.has(key) || !key.startsWith('GNU.'), `two records ${key}`);
    records.set(key, value);
    rest = rest.slice(length);
  }
  return records;
}

/** A map in the content, of format 1.0. */
function checkMap(content: Buffer, fileSize: number): void {
  const count = Number(/^\d+(?=\n)/.exec(content.toString('latin1'))?.[0]);
  const text = new RegExp(`^(?:\\d+\\n){${2 * count + 1}}`).exec(content.toString('latin1'))?.[0] ?? '';
  promise(text !== '', 'a sparse file without a map');
  const numbers = text.trim().split('\n').slice(1).map(Number);
  let [data, end] = [0, 0];
  for (let index = 0; index < numbers.length; index += 2) {
    const [offset = 0, size = 0] = numbers.slice(index, index + 2);
    promise(offset >= end, 'pieces that do not ascend');
    end = offset + size;
    data += size;
  }
  promiseSame(end, fileSize, 'the end of the map');
  promiseSame(padded(text.length) + data, content.length, 'the map and the data');
}
