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

/**
 * Turns the bytes of a log file into what the container wrote: a state machine without I/O. The output is put together in the place of the
 * input, which it is hardly ever longer than: that costs one move a line.
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
  /** What is read, and from its beginning on what of it is to be put out. */
  #bytes: Buffer = Buffer.alloc(0);
  /** Where the piece that is being put together begins and ends. */
  #from = 0;
  #to = 0;
  #stream: LogChunk['stream'] = 'stdout';

  constructor(options: LogDecoderOptions) {
    this.#options = options;
    this.#remainingBytes = options.limitBytes;
    this.#remainingLines = options.maxLines;
  }

  /** Nothing more will come out. */
  get isDone(): boolean {
    return this.#remainingLines <= 0 || this.#isCutOff;
  }

  /**
   * Reads the lines in `bytes` up to `end` and writes over them; gives where the first byte lies that has to be there again next time,
   * which is as it was.
   */
  decode(bytes: Buffer, end: number, inputEnd: InputEnd): number {
    this.#bytes = bytes;
    this.#from = this.#to = 0;
    let at = 0;
    while (at < end && !this.isDone) {
      const found = bytes.indexOf(newline, at);
      const isWhole = found >= 0 && found < end;
      if (!isWhole && inputEnd === 'open' && this.#unfinished === undefined) break;
      const lineEnd = isWhole ? found + 1 : end;
      if (this.#unfinished) this.#goOn(at, lineEnd, isWhole);
      else this.#begin(at, lineEnd, isWhole || inputEnd === 'closed');
      at = lineEnd;
    }
    this.#closeChunk();
    return at;
  }

  /** What has come out since the last time. */
  take(): LogChunk[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  #begin(start: number, end: number, isWhole: boolean): void {
    const bytes = this.#bytes;
    this.#format ??= detectFormat(bytes, start, end);
    if (this.#format === undefined) throw unsupportedFormat(bytes.subarray(start, Math.min(end, start + 100)));
    const line = lineParsers[this.#format](bytes, start, end);
    if ('problem' in line) {
      this.#options.onProblem(line.problem);
      if (!isWhole) this.#unfinished = { line: undefined, isShown: false };
      return;
    }
    const isShown = this.#isWanted(line);
    const lastByte = line.end > line.start ? line.bytes[line.end - 1] : newline;
    if (isShown) this.#show(line, start, end);
    if (isWhole) this.#finish(lastByte);
    else this.#unfinished = { line, isShown };
  }

  #isWanted({ timestamp, stream }: LogLine): boolean {
    const { since, streams } = this.#options;
    if (since && isBefore(timestamp, since)) return false;
    return streams === 'All' || streams.toLowerCase() === stream;
  }

  #goOn(start: number, end: number, isWhole: boolean): void {
    const { line, isShown = false } = this.#unfinished ?? {};
    const contentEnd = isWhole && line?.isPartial ? end - 1 : end;
    if (line && isShown) this.#move(line.stream, start, contentEnd);
    if (!isWhole) return;
    this.#unfinished = undefined;
    if (line) this.#finish(line.isPartial ? 0 : newline);
  }

  /** A line that ends in a newline, or has nothing in it, lets the next one begin anew. */
  #finish(lastByte: number | undefined): void {
    this.#remainingLines--;
    this.#atLineStart = lastByte === newline;
  }

  #show(line: LogLine, start: number, end: number): void {
    const { bytes, stream, timestamp, timestampEnd } = line;
    const isInPlace = bytes === this.#bytes;
    if (this.#options.timestamps && this.#atLineStart) {
      const isAsPrinted = isInPlace && timestamp.offset === 0 && timestampEnd - start === 'YYYY-MM-DDThh:mm:ss.nnnnnnnnnZ'.length;
      if (isAsPrinted) this.#move(stream, start, timestampEnd + 1);
      else this.#add(stream, Buffer.from(`${formatTimestamp(timestamp)} `), start, isInPlace ? line.start : end);
    }
    if (isInPlace) this.#move(stream, line.start, line.end);
    else this.#add(stream, bytes, start, end);
  }

  /** Puts out what lies in the input from `start` to `end`. */
  #move(stream: string, start: number, end: number): void {
    this.#turnTo(stream, start);
    const length = this.#spend(end - start);
    this.#bytes.copyWithin(this.#to, start, start + length);
    this.#to += length;
  }

  /** Puts out what does not lie in the input; of that, what lies from `start` to `end` is not needed any more. */
  #add(stream: string, data: Uint8Array, start: number, end: number): void {
    this.#turnTo(stream, start);
    const length = this.#spend(data.length);
    const added = data.subarray(0, length);
    if (this.#to + length > end) {
      this.#closeChunk();
      this.#chunks.push({ stream: this.#stream, data: added });
      return;
    }
    this.#bytes.set(added, this.#to);
    this.#to += length;
  }

  /** Goes on with a stream; a new piece may begin at `start`. */
  #turnTo(stream: string, start: number): void {
    if (stream === this.#stream) return;
    if (stream !== 'stdout' && stream !== 'stderr') {
      throw new NodeAgentError(containerLogsErrorCodes.unsupportedFormat, `unexpected stream type ${quoteText(stream)}`);
    }
    this.#closeChunk();
    this.#from = this.#to = start;
    this.#stream = stream;
  }

  /** How many of this many bytes may still be put out. */
  #spend(bytes: number): number {
    const length = Math.min(bytes, this.#remainingBytes);
    this.#remainingBytes -= length;
    this.#isCutOff = this.#remainingBytes <= 0;
    return length;
  }

  #closeChunk(): void {
    if (this.#to > this.#from) this.#chunks.push({ stream: this.#stream, data: Buffer.from(this.#bytes.subarray(this.#from, this.#to)) });
    this.#from = this.#to;
  }
}

function unsupportedFormat(firstLine: Buffer): NodeAgentError {
  const message = `failed to get parse function: unsupported log format: ${quoteText(firstLine.toString())}`;
  return new NodeAgentError(containerLogsErrorCodes.unsupportedFormat, message);
}
