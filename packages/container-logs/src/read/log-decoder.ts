import { NodeAgentError, quoteText } from '@nodeagent/api';
import { containerLogsErrorCodes } from '../errors.js';
import { detectFormat, type LogFormat, type LogLine, lineParsers } from './parse-line.js';
import { formatTimestamp, isBefore, type LogTimestamp } from './timestamp.js';

/** A piece of what a container wrote, some lines long or a part of one. */
export interface LogChunk {
  stream: 'stdout' | 'stderr';
  data: Uint8Array;
}

export interface LogDecoderOptions {
  /** Lines before this instant are left out. */
  since?: LogTimestamp;
  /** Puts its time before each line that does not go on an earlier one. */
  timestamps: boolean;
  /** Bytes after which the log ends, times included. */
  limitBytes: number;
  /** Lines after which the log ends, those left out because of `since` or `streams` counted. */
  maxLines: number;
  streams: 'All' | 'Stdout' | 'Stderr';
  /** Told of lines that cannot be read, which are left out. */
  onProblem(problem: string): void;
}

/** Where what was given to {@link LogDecoder.decode} ends. */
export type InputEnd =
  /** More may come: an unfinished line waits for its rest. */
  | 'open'
  /** More comes, but there is no room for it: an unfinished line is passed on as far as it is there. */
  | 'full'
  /** Nothing comes: an unfinished line counts as one. */
  | 'closed';

const newline = 0x0a;
const outputSize = 64 * 1024;

/**
 * Turns the bytes of a log file into what the container wrote: a state machine without I/O that holds one piece of output and no input.
 * The rules are those of `kubectl logs`: Kubernetes API, PodLogOptions.
 */
export class LogDecoder {
  readonly #options: LogDecoderOptions;
  #format: LogFormat | undefined;
  /** The line whose rest comes with the next bytes, and whether it is shown. */
  #unfinished: { line: LogLine | undefined; isShown: boolean } | undefined;
  #atLineStart = true;
  #remainingBytes: number;
  #remainingLines: number;
  #isCutOff = false;
  #chunks: LogChunk[] = [];
  #output = Buffer.alloc(0);
  #stream: LogChunk['stream'] = 'stdout';
  /** Of the piece that is being written: where it begins and ends in the output. */
  #from = 0;
  #to = 0;

  constructor(options: LogDecoderOptions) {
    this.#options = options;
    this.#remainingBytes = options.limitBytes;
    this.#remainingLines = options.maxLines;
  }

  /** Nothing more will come out. */
  get isDone(): boolean {
    return this.#remainingLines <= 0 || this.#isCutOff;
  }

  /** Reads the lines in `bytes` up to `end`; gives where the first byte lies that has to be there again next time. */
  decode(bytes: Buffer, end: number, inputEnd: InputEnd): number {
    let at = 0;
    while (at < end && !this.isDone) {
      const found = bytes.indexOf(newline, at);
      const isWhole = found >= 0 && found < end;
      if (!isWhole && inputEnd === 'open' && this.#unfinished === undefined) break;
      const lineEnd = isWhole ? found + 1 : end;
      if (this.#unfinished) this.#goOn(bytes, at, lineEnd, isWhole);
      else this.#begin(bytes, at, lineEnd, isWhole || inputEnd === 'closed');
      at = lineEnd;
    }
    return at;
  }

  /** What has come out since the last time. */
  take(): LogChunk[] {
    this.#closeChunk();
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  #begin(bytes: Buffer, start: number, end: number, isWhole: boolean): void {
    this.#format ??= detectFormat(bytes, start, end);
    if (this.#format === undefined) throw unsupportedFormat(bytes.subarray(start, Math.min(end, start + 100)));
    const line = lineParsers[this.#format](bytes, start, end);
    if ('problem' in line) {
      this.#options.onProblem(line.problem);
      if (!isWhole) this.#unfinished = { line: undefined, isShown: false };
      return;
    }
    const isShown = this.#isWanted(line);
    if (isShown) this.#show(line, bytes, start);
    if (isWhole) this.#finish(line.end > line.start ? line.bytes[line.end - 1] : newline);
    else this.#unfinished = { line, isShown };
  }

  #isWanted({ timestamp, stream }: LogLine): boolean {
    const { since, streams } = this.#options;
    if (since && isBefore(timestamp, since)) return false;
    return streams === 'All' || streams.toLowerCase() === stream;
  }

  #goOn(bytes: Buffer, start: number, end: number, isWhole: boolean): void {
    const { line, isShown = false } = this.#unfinished ?? {};
    const contentEnd = isWhole && line?.isPartial ? end - 1 : end;
    if (line && isShown) this.#write(line.stream, bytes, start, contentEnd);
    if (!isWhole) return;
    this.#unfinished = undefined;
    if (line) this.#finish(line.isPartial ? 0 : newline);
  }

  /** A line that ends in a newline, or has nothing in it, lets the next one begin anew. */
  #finish(lastByte: number | undefined): void {
    this.#remainingLines--;
    this.#atLineStart = lastByte === newline;
  }

  #show(line: LogLine, bytes: Buffer, start: number): void {
    if (this.#options.timestamps && this.#atLineStart) {
      const isAsPrinted =
        line.bytes === bytes && line.timestamp.offset === 0 && line.timestampEnd - start === 'YYYY-MM-DDThh:mm:ss.nnnnnnnnnZ'.length;
      if (isAsPrinted) this.#write(line.stream, bytes, start, line.timestampEnd + 1);
      else {
        const prefix = Buffer.from(`${formatTimestamp(line.timestamp)} `);
        this.#write(line.stream, prefix, 0, prefix.length);
      }
    }
    this.#write(line.stream, line.bytes, line.start, line.end);
  }

  #write(stream: string, bytes: Uint8Array, start: number, end: number): void {
    if (stream !== 'stdout' && stream !== 'stderr') {
      throw new NodeAgentError(containerLogsErrorCodes.unsupportedFormat, `unexpected stream type ${quoteText(stream)}`);
    }
    const length = Math.min(end - start, this.#remainingBytes);
    if (stream !== this.#stream || this.#to + length > this.#output.length) this.#closeChunk();
    this.#stream = stream;
    if (this.#to + length > this.#output.length) {
      this.#output = Buffer.allocUnsafe(Math.max(outputSize, length));
      this.#from = 0;
      this.#to = 0;
    }
    if (length < 64) for (let at = 0; at < length; at++) this.#output[this.#to + at] = bytes[start + at] ?? 0;
    else this.#output.set(bytes.subarray(start, start + length), this.#to);
    this.#to += length;
    this.#remainingBytes -= length;
    this.#isCutOff = this.#remainingBytes <= 0;
  }

  #closeChunk(): void {
    if (this.#to > this.#from) this.#chunks.push({ stream: this.#stream, data: this.#output.subarray(this.#from, this.#to) });
    this.#from = this.#to;
  }
}

function unsupportedFormat(firstLine: Buffer): NodeAgentError {
  const message = `failed to get parse function: unsupported log format: ${quoteText(firstLine.toString())}`;
  return new NodeAgentError(containerLogsErrorCodes.unsupportedFormat, message);
}
