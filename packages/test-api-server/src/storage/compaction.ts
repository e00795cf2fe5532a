import { openSync, renameSync, rmSync } from 'node:fs';
import { LogFile } from './log-file.js';
import { header, type LogRecord, recordLine } from './log-records.js';

/** Bytes of objects, and of changes meanwhile, that a step writes. */
const stepBytes = 256 * 1024;
const tailBytes = 4 * 1024 * 1024;

/**
 * Replaces a log by one with only what it leads to, a step with each change, so that no step takes long. Changes are still appended to the
 * old log; the new one gets a copy of them last. A process that is killed meanwhile leaves the old log.
 */
export class Compaction {
  readonly #path: string;
  readonly #old: LogFile;
  readonly #records: Iterator<LogRecord>;
  readonly #new: LogFile;
  readonly #isDurable: boolean;
  /** Up to where the old log is in the new one. */
  #copied: number;
  /** Whether the new log is on the disk; absent before all records are written. */
  #synced: boolean | undefined;
  #failure: unknown;

  /** `records`: what the log leads to, or a later state of some objects. `isDurable`: whether the log survives a power cut at any time. */
  constructor(path: string, old: LogFile, records: Iterable<LogRecord>, isDurable: boolean) {
    this.#path = path;
    this.#old = old;
    this.#copied = old.size;
    this.#records = records[Symbol.iterator]();
    this.#isDurable = isDurable;
    this.#new = new LogFile(openSync(compactPath(path), 'w+', 0o600), 0);
  }

  /** Does a part of the work; returns the new log once it has replaced the old one. */
  step(): LogFile | undefined {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#synced === undefined) this.#writeRecords();
    else if (this.#synced) return this.#finish();
    return undefined;
  }

  /** Leaves the old log as it is. */
  abandon(): void {
    this.#new.close();
    rmSync(compactPath(this.#path), { force: true });
  }

  #writeRecords(): void {
    let text = this.#new.size === 0 ? header : '';
    while (text.length < stepBytes) {
      const { done, value } = this.#records.next();
      if (done) {
        this.#synced = false;
        break;
      }
      text += recordLine(value);
    }
    this.#new.append(text);
    if (this.#synced === undefined) return;
    // Most of it, in the background, so that the new log is complete if the machine loses power after the renaming.
    this.#new.sync().then(
      () => {
        this.#synced = true;
      },
      (error) => {
        this.#failure = error;
      },
    );
  }

  #finish(): LogFile | undefined {
    const length = Math.min(tailBytes, this.#old.size - this.#copied);
    this.#new.copy(this.#old, this.#copied, length);
    this.#copied += length;
    if (this.#copied < this.#old.size) return undefined;
    if (this.#isDurable) this.#new.syncNow();
    renameSync(compactPath(this.#path), this.#path);
    return this.#new;
  }
}

/** The file that a compaction writes. */
export const compactPath = (path: string) => `${path}.compact`;
