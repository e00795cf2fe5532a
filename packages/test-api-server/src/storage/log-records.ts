import { fstatSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { NodeAgentError } from '@nodeagent/api';
import { testApiServerErrorCodes } from '../errors.js';

/** A line of the log: an object that was put or removed, a value of the server, or the revision at a compaction. */
export type LogRecord =
  | { put: string; object: unknown }
  | { remove: string; namespace?: string; name: string; revision: number }
  | { value: string; text: string }
  | { revision: number };

const lineOf = (json: string) => `${checksum(json)} ${json}\n`;

/** The line of a record: its checksum (CRC-32, eight hexadecimal digits), a space, JSON, and the end of the line. */
export function recordLine(record: LogRecord): string {
  return lineOf(JSON.stringify(record));
}

const checksum = (json: string | Uint8Array) => crc32(json).toString(16).padStart(8, '0');

const version = 1;

/** The first line of a log: without it a file is not one, and is not written to. */
export const header = lineOf(JSON.stringify({ log: 'test-api-server', version }));

/** A record and the length of its line, in bytes. */
export interface ReadRecord {
  record: LogRecord;
  bytes: number;
}

/**
 * Yields the records of an open log, without those of the whole file in memory at once, and returns the length of the part that they take; 0
 * for a new log. A torn last line, of a process that was killed while it wrote, is not part of it: no client got an answer to that write.
 * Throws `CorruptStorage` if a line before others is damaged, or if the file is no log of this version.
 */
export function* readRecords(fd: number, path: string): Generator<ReadRecord, number> {
  const { size } = fstatSync(fd);
  if (!hasHeader(fd, path)) return 0;
  let at = header.length;
  let number = 1;
  for (const line of lines(fd, at)) {
    number++;
    const bytes = line.length + 1;
    const record = recordOf(line);
    if (record !== undefined) yield { record, bytes };
    else if (at + bytes < size) throw corrupt(path, number);
    else break;
    at += bytes;
  }
  return at;
}

/** False for an empty file, and for one whose first line is torn. */
function hasHeader(fd: number, path: string): boolean {
  const bytes = Buffer.alloc(header.length);
  const start = bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0));
  if (start === header) return true;
  if (header.startsWith(start)) return false;
  const other = /^[0-9a-f]{8} \{"log":"test-api-server","version":(\d+)/.exec(start)?.[1];
  if (other === undefined) throw unreadable(`read ${path}: it is no log of a test API server`, path);
  throw unreadable(`read ${path}: it is a log of version ${other}, and this server reads version ${version}`, path);
}

/** The complete lines of a file from a position on. */
function* lines(fd: number, from: number): Generator<Buffer> {
  const chunk = Buffer.allocUnsafe(1 << 20);
  let start: Buffer[] = [];
  for (let position = from; ; ) {
    const read = chunk.subarray(0, readSync(fd, chunk, 0, chunk.length, position));
    if (read.length === 0) return;
    position += read.length;
    let at = 0;
    for (let end = read.indexOf(0x0a); end >= 0; end = read.indexOf(0x0a, at)) {
      yield Buffer.concat([...start, read.subarray(at, end)]);
      start = [];
      at = end + 1;
    }
    start.push(Buffer.from(read.subarray(at)));
  }
}

function recordOf(line: Buffer): LogRecord | undefined {
  const json = line.subarray(9);
  if (line[8] !== 0x20 || line.subarray(0, 8).toString('latin1') !== checksum(json)) return undefined;
  return JSON.parse(json.toString()) as LogRecord;
}

const unreadable = (message: string, path: string) =>
  new NodeAgentError(testApiServerErrorCodes.corruptStorage, message, {
    details: { path },
    hint: 'the file was not changed: choose another one, or remove it to start with an empty server',
  });

const corrupt = (path: string, line: number) =>
  new NodeAgentError(testApiServerErrorCodes.corruptStorage, `read ${path}: line ${line} does not have its checksum`, {
    details: { path, line },
    hint: 'another program changed the file, or its disk is damaged: restore a copy, or remove it to start with an empty server',
  });
