import { crc32 } from 'node:zlib';
import { NodeAgentError } from '@nodeagent/api';
import { testApiServerErrorCodes } from '../errors.js';

/** A line of the log: an object that was put or removed, a value of the server, or the revision at a compaction. */
export type LogRecord =
  | { put: string; object: unknown }
  | { remove: string; namespace?: string; name: string; revision: number }
  | { value: string; text: string }
  | { revision: number };

/** The line of a record: its checksum (CRC-32, eight hexadecimal digits), a space, JSON, and the end of the line. */
export function recordLine(record: LogRecord): string {
  const json = JSON.stringify(record);
  return `${checksum(json)} ${json}\n`;
}

const checksum = (json: string | Uint8Array) => crc32(json).toString(16).padStart(8, '0');

/**
 * The records of a log, and the length of the part that they take. A torn last line, of a process that was killed while it wrote, is not part of
 * it: no client got an answer to that write. Throws `CorruptStorage` if a line before others is damaged.
 */
export function readRecords(bytes: Buffer, path: string): { records: LogRecord[]; length: number } {
  const records: LogRecord[] = [];
  let start = 0;
  for (let line = 1; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start);
    const record = end < 0 ? undefined : recordOf(bytes.subarray(start, end));
    if (record === undefined) {
      if (end >= 0 && end + 1 < bytes.length) throw corrupt(path, line);
      break;
    }
    records.push(record);
    start = end + 1;
  }
  return { records, length: start };
}

function recordOf(line: Buffer): LogRecord | undefined {
  const json = line.subarray(9);
  if (line[8] !== 0x20 || line.subarray(0, 8).toString('latin1') !== checksum(json)) return undefined;
  return JSON.parse(json.toString()) as LogRecord;
}

const corrupt = (path: string, line: number) =>
  new NodeAgentError(testApiServerErrorCodes.corruptStorage, `read ${path}: line ${line} does not have its checksum`, {
    details: { path, line },
    hint: 'another program changed the file, or its disk is damaged: restore a copy, or remove it to start with an empty server',
  });
