import { closeSync, fdatasync, fdatasyncSync, ftruncateSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';

const waitForDisk = promisify(fdatasync);

/** Writes to files; a test limits their space. */
export const disk = { write: (fd: number, bytes: Uint8Array, from: number, length: number): number => writeSync(fd, bytes, from, length) };

/** An open log. Texts are appended whole or not at all. */
export class LogFile {
  readonly #fd: number;
  #size: number;
  /** Why nothing can be appended any more: what a failed write left could not be removed. */
  #broken: unknown;
  /** The running wait for the disk. */
  #syncing: Promise<void> | undefined;
  /** The wait that begins after it, for what was appended meanwhile. */
  #nextSync: Promise<void> | undefined;

  /** `fd` appends; `size`: that of the file. */
  constructor(fd: number, size: number) {
    this.#fd = fd;
    this.#size = size;
  }

  /** Its length, in bytes. */
  get size(): number {
    return this.#size;
  }

  /** Throws if the disk is full, and then leaves the file as it was. */
  append(content: string | Uint8Array): void {
    if (this.#broken !== undefined) throw this.#broken;
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    try {
      for (let done = 0; done < bytes.length; ) done += disk.write(this.#fd, bytes, done, bytes.length - done);
    } catch (error) {
      this.#truncate();
      throw error;
    }
    this.#size += bytes.length;
  }

  /** Appends a part of another log. */
  copy(from: LogFile, position: number, length: number): void {
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length; ) {
      const read = readSync(from.#fd, bytes, done, length - done, position + done);
      if (read === 0) throw new Error('the log became shorter');
      done += read;
    }
    this.append(bytes);
  }

  /** Resolves once all that was appended before the call is on the disk. Concurrent calls share a wait. */
  sync(): Promise<void> {
    if (this.#syncing === undefined) return this.#sync();
    this.#nextSync ??= this.#syncing.catch(() => {}).then(() => this.#sync());
    return this.#nextSync;
  }

  #sync(): Promise<void> {
    this.#nextSync = undefined;
    const syncing = waitForDisk(this.#fd).finally(() => {
      if (this.#syncing === syncing) this.#syncing = undefined;
    });
    this.#syncing = syncing;
    return syncing;
  }

  syncNow(): void {
    fdatasyncSync(this.#fd);
  }

  /** Closes it once no wait for the disk is running. */
  close(): void {
    const pending = this.#nextSync ?? this.#syncing;
    if (pending === undefined) closeSync(this.#fd);
    else pending.catch(() => {}).then(() => this.close());
  }

  #truncate(): void {
    try {
      ftruncateSync(this.#fd, this.#size);
    } catch (error) {
      this.#broken = error;
    }
  }
}
