import { NodeAgentError } from '@nodeagent/api';
import { decodeUtf8, encodeUtf8, isObject } from '@nodeagent/api/helpers';
import { kubeClientErrorCodes } from '../errors.js';
import { createByteBuffer } from '../request/byte-buffer.js';
import { parseApiJson } from '../request/parse-api-json.js';

/** Objects of the API server are at most 1.5 MiB in etcd; a longer line is invalid. */
const maxLineBytes = 16 * 1024 * 1024;
const newline = 10;

/** Splits a stream into lines; an incomplete last line is dropped. */
export interface WatchLineSplitter {
  /** Returns the lines that the chunk completes. Throws `ResponseTooLarge`. */
  push(chunk: Uint8Array | string): string[];
}

export function createLineSplitter(): WatchLineSplitter {
  const rest = createByteBuffer();
  return {
    push(piece) {
      const chunk = typeof piece === 'string' ? encodeUtf8(piece) : piece;
      const end = chunk.lastIndexOf(newline);
      if (end === -1) {
        if (rest.size + chunk.byteLength > maxLineBytes) {
          throw new NodeAgentError(kubeClientErrorCodes.responseTooLarge, `a watch event is larger than ${maxLineBytes} bytes`);
        }
        rest.append(chunk);
        return [];
      }
      let complete = chunk.subarray(0, end);
      if (rest.size > 0) {
        rest.append(complete);
        complete = rest.take();
      }
      if (end + 1 < chunk.byteLength) rest.append(chunk.subarray(end + 1));
      return decodeUtf8(complete)
        .split('\n')
        .filter((line) => line !== '');
    },
  };
}

/** One event of a watch (`meta/v1`, `WatchEvent`). */
export interface WatchEvent {
  /** `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK` or `ERROR`. */
  type: string;
  object: Record<string, unknown>;
}

/** Parses the event of a line, see {@link parseApiJson}; undefined if it is not an event. */
export function parseWatchEvent(line: string): WatchEvent | undefined {
  try {
    const event: unknown = parseApiJson(line);
    if (isObject(event) && typeof event.type === 'string' && isObject(event.object)) return { type: event.type, object: event.object };
  } catch {}
  return undefined;
}
