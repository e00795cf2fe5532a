import { decodeUtf8, encodeUtf8, isObject, quoteText } from '@nodeagent/api/helpers';
import { type LogTimestamp, parseTimestamp, scanTimestamp } from './timestamp.js';

export type LogFormat = 'cri' | 'docker-json';

/** One line of a log; its content is in `bytes` from `start` to `end`. */
export interface LogLine {
  timestamp: LogTimestamp;
  /** `stdout` or `stderr`; in a Docker line any value. */
  stream: string;
  /** The next line continues the container's line. */
  isPartial: boolean;
  /** Start and end of the time in the bytes; an empty range if it is not in the bytes. */
  timestampEnd: number;
  bytes: Uint8Array;
  start: number;
  end: number;
}

/** Why a line is malformed. */
export interface LineProblem {
  /** In the kubelet's words; may quote the line. */
  problem: string;
  /** `problem` without content of the line: who reads a log of the agent may not be allowed to read the container's. */
  summary: string;
}

const malformed = (summary: string, quote = ''): LineProblem => ({ problem: summary + quote, summary });

const [newline, space, colon, letterP] = [0x0a, 0x20, 0x3a, 0x50];
const [letterD, letterE, letterO, letterR, letterS, letterT, letterU] = [0x64, 0x65, 0x6f, 0x72, 0x73, 0x74, 0x75];
const timeLayout = '2006-01-02T15:04:05.999999999Z07:00';

/**
 * Parses a line of the CRI format, `<RFC 3339 time> <stdout|stderr> <tags> <text>\n`, including its newline. Tags are separated by colons.
 * If the first tag is `P`, the newline is not part of the content, otherwise it is. Does not copy. Source: CRI logging design
 * (kubelet-cri-logging.md); the problems have the kubelet's messages.
 */
export function parseCriLine(bytes: Uint8Array, start = 0, end: number = bytes.length): LogLine | LineProblem {
  const timestamp = scanTimestamp(bytes, start);
  if (timestamp === undefined || bytes[timestamp.end] !== space || timestamp.end >= end) return timestampProblem(bytes, start, end);

  const streamStart = timestamp.end + 1;
  const stream = streamAt(bytes, streamStart);
  const streamEnd = streamStart + 6;
  if (stream === undefined || bytes[streamEnd] !== space || streamEnd >= end) return streamProblem(bytes, streamStart, end);

  const tagStart = streamEnd + 1;
  const tagEnd = nextSpace(bytes, tagStart, end);
  if (tagEnd < 0) return malformed('log tag is not found');
  const isPartial = bytes[tagStart] === letterP && (tagEnd === tagStart + 1 || bytes[tagStart + 1] === colon);
  const contentEnd = isPartial && end > tagEnd + 1 && bytes[end - 1] === newline ? end - 1 : end;
  return { timestamp, stream, isPartial, timestampEnd: timestamp.end, bytes, start: tagEnd + 1, end: contentEnd };
}

function timestampProblem(bytes: Uint8Array, start: number, end: number): LineProblem {
  const timestampEnd = nextSpace(bytes, start, end);
  if (timestampEnd < 0) return malformed('timestamp is not found');
  return malformed(`unexpected timestamp format "${timeLayout}"`);
}

function streamProblem(bytes: Uint8Array, start: number, end: number): LineProblem {
  const streamEnd = nextSpace(bytes, start, end);
  if (streamEnd < 0) return malformed('stream type is not found');
  return malformed('unexpected stream type', ` ${shown(bytes, start, streamEnd)}`);
}

/** Parses a line of Docker's json-file format: `{"log": ..., "stream": ..., "time": ...}`. Missing fields are empty. */
export function parseDockerLine(bytes: Uint8Array, start = 0, end: number = bytes.length): LogLine | LineProblem {
  let fields: Map<string, unknown>;
  try {
    const entry: unknown = JSON.parse(decodeUtf8(bytes.subarray(start, end)));
    if (entry !== null && !isObject(entry)) return malformed('the line is not a JSON object');
    fields = new Map(Object.entries(entry ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  } catch {
    return malformed('the line is not JSON');
  }
  const [log, stream, time] = ['log', 'stream', 'time'].map((name) => fields.get(name) ?? undefined);
  if (![log, stream, time].every((field) => field === undefined || typeof field === 'string'))
    return malformed('log, stream and time must be strings');
  const timestamp = time === undefined ? zeroTime : parseTimestamp(String(time));
  if (timestamp === undefined) return malformed('time is not an RFC 3339 time');
  const content = encodeUtf8(String(log ?? ''));
  return { timestamp, stream: String(stream ?? ''), isPartial: false, timestampEnd: 0, bytes: content, start: 0, end: content.length };
}

/** Detects the format of a log by its first line; undefined if it is unknown. */
export function detectFormat(bytes: Uint8Array, start = 0, end: number = bytes.length): LogFormat | undefined {
  if (!('problem' in parseCriLine(bytes, start, end))) return 'cri';
  return 'problem' in parseDockerLine(bytes, start, end) ? undefined : 'docker-json';
}

/** The parser of each format. */
export const lineParsers = { cri: parseCriLine, 'docker-json': parseDockerLine } as const;

/** The first day of the year 1. */
const zeroTime: LogTimestamp = { seconds: -62_135_596_800, nanos: 0, offset: 0 };

function nextSpace(bytes: Uint8Array, from: number, end: number): number {
  for (let at = from; at < end; at++) if (bytes[at] === space) return at;
  return -1;
}

function streamAt(bytes: Uint8Array, at: number): 'stdout' | 'stderr' | undefined {
  if (bytes[at] !== letterS || bytes[at + 1] !== letterT || bytes[at + 2] !== letterD) return undefined;
  if (bytes[at + 3] === letterO && bytes[at + 4] === letterU && bytes[at + 5] === letterT) return 'stdout';
  return bytes[at + 3] === letterE && bytes[at + 4] === letterR && bytes[at + 5] === letterR ? 'stderr' : undefined;
}

function shown(bytes: Uint8Array, start: number, end: number): string {
  return quoteText(decodeUtf8(bytes.subarray(start, Math.min(end, start + 40))));
}
