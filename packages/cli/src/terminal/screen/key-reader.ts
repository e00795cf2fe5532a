import { PassThrough } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Clock, Timer } from '@nodeagent/api';
import type { InputStream } from '../../console.js';
import { type Key, parseKeys } from '../list/key.js';

/** Time in which the rest of an escape sequence arrives, also over a slow connection; else it is the key Esc. */
const sequenceMs = 50;

/** Reads the keys of a terminal in raw mode. */
export interface KeyReader {
  start(onKey: (key: Key) => void): void;
  /** Another command reads the terminal until {@link resume}, by a stream that it may destroy. The terminal is not raw at first. */
  lend(): InputStream;
  resume(): void;
  /** Restores the terminal's mode. Idempotent. */
  stop(): void;
}

export function createKeyReader(input: InputStream, clock: Clock): KeyReader {
  return new TerminalKeys(input, clock);
}

class TerminalKeys implements KeyReader {
  readonly #input: InputStream;
  readonly #clock: Clock;
  readonly #decoder = new StringDecoder('utf8');
  #onKey: (key: Key) => void = () => {};
  #rest = '';
  #timer: Timer | undefined;
  #borrower: PassThrough | undefined;

  constructor(input: InputStream, clock: Clock) {
    this.#input = input;
    this.#clock = clock;
  }

  start(onKey: (key: Key) => void): void {
    this.#onKey = onKey;
    // Reading a terminal that was closed fails, and so does changing its mode; SIGHUP then interrupts the command. Not removed by stop().
    this.#input.on('error', () => {});
    this.#input.setRawMode?.(true);
    this.#input.on('data', this.#read);
    this.#input.resume();
  }

  lend(): InputStream {
    const borrower = new PassThrough();
    this.#borrower = borrower;
    this.#input.setRawMode?.(false);
    return Object.assign(borrower, { isTTY: true, setRawMode: (isRaw: boolean) => this.#input.setRawMode?.(isRaw) });
  }

  resume(): void {
    this.#borrower?.destroy();
    this.#borrower = undefined;
    this.#input.setRawMode?.(true);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#borrower?.destroy();
    this.#input.off('data', this.#read);
    this.#input.setRawMode?.(false);
    // An open stdin would keep the process running.
    this.#input.pause();
  }

  readonly #read = (data: Uint8Array | string) => {
    if (this.#borrower !== undefined) {
      if (!this.#borrower.destroyed) this.#borrower.write(data);
      return;
    }
    this.#timer?.cancel();
    const { keys, rest } = parseKeys(this.#rest + (typeof data === 'string' ? data : this.#decoder.write(Buffer.from(data))));
    this.#rest = rest;
    if (rest !== '') this.#timer = this.#clock.setTimeout(() => this.#end(), sequenceMs);
    for (const key of keys) this.#onKey(key);
  };

  /** The rest is no sequence: the user pressed Esc. */
  #end(): void {
    this.#rest = '';
    this.#onKey('escape');
  }
}
