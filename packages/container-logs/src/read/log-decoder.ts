import { NodeAgentError, quoteText } from '@nodeagent/api';
import { containerLogsErrorCodes } from '../errors.js';
import { detectFormat, type LogFormat, type LogLine, lineParsers } from './parse-line.js';
import { formatTimestamp, isBefore, type LogTimestamp } from './timestamp.js';

/** A chunk of a container's output: several lines, or a part of one. */
export interface LogChunk {
  stream: 'stdout' | 'stderr';
  data: Uint8Array;
}

export interface LogDecoderOptions {
  /** Lines before this time are skipped. */
  since?: LogTimestamp;
  /** Prefixes each line with its time, except continuations of partial lines. */
  timestamps: boolean;
  /** Maximum number of output bytes, timestamps included. */
  limitBytes: number;
  /** Maximum number of lines, including those skipped by `since` or `streams`. */
  maxLines: number;
  streams: 'All' | 'Stdout' | 'Stderr';
  /** Called for each malformed line; the line is skipped. */
  onProblem(problem: string): void;
}

/** How the input of {@link LogDecoder.decode} ends. */
export type InputEnd =
  /** More input may follow: an incomplete line is kept for the next call. */
  | 'open'
  /** More input follows, but the buffer is full: the available part of an incomplete line is output. */
  | 'full'
  /** No more input follows: an incomplete line counts as complete. */
  | 'closed';

const newline = 0x0a;

/**
 * Decodes the bytes of a log file into the container's output: a state machine without I/O. The output overwrites the input buffer, because
 * it is rarely longer: that costs one copy per line. The rules are those of `kubectl logs`: Kubernetes API, PodLogOptions.
 */
export class LogDecoder {
  readonly #options: LogDecoderOptions;
  #format: LogFormat | undefined;
  /** The incomplete line that the next input continues, and whether it is output. */
  #unfinished: { line: LogLine | undefined; isShown: boolean } | undefined;
  #atLineStart = true;
  #remainingBytes: number;
  #remainingLines: number;
  #isCutOff = false;
  #chunks: LogChunk[] = [];
  /** The input buffer; the output is assembled from its start. */
  #bytes: Buffer = Buffer.alloc(0);
  /** Start and end of the chunk being assembled. */
  #from = 0;
  #to = 0;
  #stream: LogChunk['stream'] = 'stdout';

  constructor(options: LogDecoderOptions) {
    this.#options = options;
    this.#remainingBytes = options.limitBytes;
    this.#remainingLines = options.maxLines;
  }

  /** No more output will follow. */
  get isDone(): boolean {
    return this.#remainingLines <= 0 || this.#isCutOff;
  }

  /**
   * Decodes the lines in `bytes` up to `end`, overwriting them. Returns the index of the first byte that the next call must start with;
   * bytes from there on are unchanged.
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

  /** The output since the last call. */
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

  /** After a line that ends with a newline or is empty, the next one is not a continuation. */
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

  /** Outputs the input from `start` to `end`. */
  #move(stream: string, start: number, end: number): void {
    this.#turnTo(stream, start);
    const length = this.#spend(end - start);
    this.#bytes.copyWithin(this.#to, start, start + length);
    this.#to += length;
  }

  /** Outputs bytes that are not in the input. The input from `start` to `end` is not needed any more. */
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

  /** Switches to a stream; a new chunk may start at `start`. */
  #turnTo(stream: string, start: number): void {
    if (stream === this.#stream) return;
    if (stream !== 'stdout' && stream !== 'stderr') {
      throw new NodeAgentError(containerLogsErrorCodes.unsupportedFormat, `unexpected stream type ${quoteText(stream)}`);
    }
    this.#closeChunk();
    this.#from = this.#to = start;
    this.#stream = stream;
  }

  /** How many of the given bytes fit into the limit. */
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
