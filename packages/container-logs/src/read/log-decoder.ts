import { NodeAgentError } from '@nodeagent/api';
import { encodeUtf8 } from '@nodeagent/api/helpers';
import { containerLogsErrorCodes } from '../errors.js';
import { detectFormat, type LogFormat, type LogLine, lineParsers, parseCriLine } from './parse-line.js';
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
  /** More input follows, but the buffer is full: the available part of a line that starts the buffer is output. */
  | 'full'
  /** No more input follows: an incomplete line counts as complete. */
  | 'closed';

const newline = 0x0a;

/** A longer line that cannot be parsed from its start is malformed. Docker and the CRI runtimes split lines at 16 KiB. */
const maxUnparsedBytes = 1024 * 1024;

/** A line of which only the first part was decoded. */
interface UnfinishedLine {
  /** Undefined if the line is malformed. */
  line: LogLine | undefined;
  isShown: boolean;
  /** The part that was decoded has no content. */
  isEmpty: boolean;
}

/**
 * Decodes the bytes of a log file into the container's output: a state machine without I/O. The output overwrites the input buffer, because
 * it is rarely longer: that costs one copy per line. The rules are those of `kubectl logs`: Kubernetes API, PodLogOptions.
 */
export class LogDecoder {
  readonly #options: LogDecoderOptions;
  #format: LogFormat | undefined;
  /** The incomplete line that the next input continues. */
  #unfinished: UnfinishedLine | undefined;
  #atLineStart = true;
  #remainingBytes: number;
  #remainingLines: number;
  #isCutOff = false;
  #chunks: LogChunk[] = [];
  /** The input buffer; the output is assembled from its start. */
  #bytes: Uint8Array = new Uint8Array();
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
   * bytes from there on are unchanged. If that is 0 although the buffer is full, the next call needs a larger one.
   */
  decode(bytes: Uint8Array, end: number, inputEnd: InputEnd): number {
    this.#bytes = bytes;
    this.#from = this.#to = 0;
    let at = 0;
    while (at < end && !this.isDone) {
      const found = bytes.indexOf(newline, at);
      const isWhole = found >= 0 && found < end;
      const lineEnd = isWhole ? found + 1 : end;
      if (this.#unfinished) this.#goOn(this.#unfinished, at, lineEnd, isWhole);
      else if (isWhole || inputEnd === 'closed') this.#decodeLine(at, lineEnd);
      else if (inputEnd === 'open' || at > 0 || !this.#begin(end)) break;
      at = lineEnd;
    }
    if (inputEnd === 'closed' && this.#unfinished) this.#finish(this.#unfinished, false);
    this.#closeChunk();
    return at;
  }

  /** The output since the last call. */
  take(): LogChunk[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }

  #decodeLine(start: number, end: number): void {
    const bytes = this.#bytes;
    this.#format ??= detectFormat(bytes, start, end);
    if (this.#format === undefined) throw unsupportedFormat(unknownFormat);
    const line = lineParsers[this.#format](bytes, start, end);
    if ('problem' in line) {
      this.#options.onProblem(line.summary);
      return;
    }
    const endsInNewline = line.end > line.start && line.bytes[line.end - 1] === newline;
    this.#finish(this.#output(line, start, end), endsInNewline);
  }

  /** Begins a line that fills the buffer. False if more of it is required to parse it. */
  #begin(end: number): boolean {
    if (this.#format !== 'docker-json') {
      const line = parseCriLine(this.#bytes, 0, end);
      if (!('problem' in line)) {
        this.#format = 'cri';
        this.#unfinished = this.#output(line, 0, end);
        return true;
      }
    }
    if (end < maxUnparsedBytes) return false;
    if (this.#format === undefined) throw unsupportedFormat(unknownFormat);
    this.#options.onProblem('the line is too long');
    this.#unfinished = { line: undefined, isShown: false, isEmpty: true };
    return true;
  }

  #output(line: LogLine, start: number, end: number): UnfinishedLine {
    const isShown = this.#isWanted(line);
    const isEmpty = line.end === line.start;
    if (isShown) this.#show(line, start, end);
    return { line, isShown, isEmpty };
  }

  #isWanted({ timestamp, stream }: LogLine): boolean {
    const { since, streams } = this.#options;
    if (since && isBefore(timestamp, since)) return false;
    return streams === 'All' || streams.toLowerCase() === stream;
  }

  #goOn(unfinished: UnfinishedLine, start: number, end: number, isWhole: boolean): void {
    const { line, isShown } = unfinished;
    const contentEnd = isWhole && line?.isPartial ? end - 1 : end;
    if (contentEnd > start) unfinished.isEmpty = false;
    if (line && isShown) this.#move(line.stream, start, contentEnd);
    if (isWhole) this.#finish(unfinished, line?.isPartial === false);
  }

  /** After a line that ends with a newline or is empty, the next one is not a continuation. */
  #finish({ line, isEmpty }: UnfinishedLine, endsInNewline: boolean): void {
    this.#unfinished = undefined;
    if (line === undefined) return;
    this.#remainingLines--;
    this.#atLineStart = endsInNewline || isEmpty;
  }

  #show(line: LogLine, start: number, end: number): void {
    const { bytes, stream, timestamp, timestampEnd } = line;
    const isInPlace = bytes === this.#bytes;
    if (this.#options.timestamps && this.#atLineStart) {
      const isAsPrinted = isInPlace && timestamp.offset === 0 && timestampEnd - start === 'YYYY-MM-DDThh:mm:ss.nnnnnnnnnZ'.length;
      if (isAsPrinted) this.#move(stream, start, timestampEnd + 1);
      else this.#add(stream, encodeUtf8(`${formatTimestamp(timestamp)} `), start, isInPlace ? line.start : end);
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
    this.#closeChunk();
    if (stream !== 'stdout' && stream !== 'stderr') throw unsupportedFormat('unexpected stream type');
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
    if (this.#to > this.#from)
      this.#chunks.push({ stream: this.#stream, data: new Uint8Array(this.#bytes.subarray(this.#from, this.#to)) });
    this.#from = this.#to;
  }
}

const unknownFormat = 'failed to get parse function: unsupported log format';

/** Without content of the file: it may be another one than a log, to which the log is a link. */
const unsupportedFormat = (message: string) => new NodeAgentError(containerLogsErrorCodes.unsupportedFormat, message);
