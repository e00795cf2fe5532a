import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { ApiObject } from '../objects.js';
import { storeKey } from '../store/object-store.js';
import type { ServerStorage, StoredState } from '../store/server-storage.js';
import { type LogRecord, readRecords, recordLine } from './log-records.js';

/** Options of {@link fileStorage}. */
export interface FileStorageOptions {
  /** The log is compacted once it has grown to twice its last compact size, but not below this number of bytes. Default 4 MiB. */
  minCompactionBytes?: number;
}

/**
 * Keeps a server's objects in a file: a log to which every change is appended before the client gets its answer, so that a killed process loses
 * no acknowledged write. It does not wait for the disk: a machine that loses power may lose the last seconds. The file also has the
 * server's keys, is readable by its owner only, and must not be used by two servers at a time.
 *
 * `open` throws `CorruptStorage` for a damaged file, and the errors of the file system.
 */
export function fileStorage(path: string, options: FileStorageOptions = {}): ServerStorage {
  return new FileStorage(path, options.minCompactionBytes ?? 4 * 1024 * 1024);
}

type Entry = [storage: string, object: ApiObject];

class FileStorage implements ServerStorage {
  readonly #path: string;
  readonly #minCompactionBytes: number;
  readonly #values = new Map<string, string>();
  #fd: number | undefined;
  /** Bytes of complete lines. */
  #size = 0;
  #compactSize = 0;
  #revision = 0;
  #current: () => Iterable<Entry> = () => [];

  constructor(path: string, minCompactionBytes: number) {
    this.#path = path;
    this.#minCompactionBytes = minCompactionBytes;
  }

  readonly journal = {
    put: (storage: string, object: ApiObject) => {
      this.#append({ put: storage, object });
      this.#revision = Number(object.metadata.resourceVersion);
    },
    remove: (storage: string, { metadata }: ApiObject) => {
      const { namespace, name = '' } = metadata;
      const revision = Number(metadata.resourceVersion);
      this.#append({ remove: storage, ...(namespace && { namespace }), name, revision });
      this.#revision = revision;
    },
  };

  open(current: () => Iterable<Entry>): StoredState {
    this.#current = current;
    rmSync(this.#compactPath, { force: true });
    const bytes = existsSync(this.#path) ? readFileSync(this.#path) : Buffer.alloc(0);
    const { records, length } = readRecords(bytes, this.#path);
    this.#fd = openSync(this.#path, 'a', 0o600);
    if (length < bytes.length) ftruncateSync(this.#fd, length);
    this.#size = length;
    this.#compactSize = length;
    return { objects: this.#replay(records), revision: this.#revision };
  }

  value(name: string): string | undefined {
    return this.#values.get(name);
  }

  setValue(name: string, text: string): void {
    this.#append({ value: name, text });
    this.#values.set(name, text);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  get #compactPath(): string {
    return `${this.#path}.compact`;
  }

  /** The objects that are left, in the order in which they were put first. */
  #replay(records: readonly LogRecord[]): Entry[] {
    const left = new Map<string, Entry>();
    const keyOf = (storage: string, namespace: string | undefined, name: string) => `${storage} ${storeKey(namespace, name)}`;
    for (const record of records) {
      if ('put' in record) {
        const object = record.object as ApiObject;
        const { namespace, name = '', resourceVersion } = object.metadata;
        left.set(keyOf(record.put, namespace, name), [record.put, object]);
        this.#revision = Math.max(this.#revision, Number(resourceVersion));
      } else if ('remove' in record) left.delete(keyOf(record.remove, record.namespace, record.name));
      else if ('value' in record) this.#values.set(record.value, record.text);
      if ('revision' in record) this.#revision = Math.max(this.#revision, record.revision);
    }
    return [...left.values()];
  }

  #append(record: LogRecord): void {
    if (this.#fd === undefined) return;
    if (this.#size > Math.max(this.#minCompactionBytes, 2 * this.#compactSize)) this.#compact();
    this.#size += write(this.#fd, recordLine(record), this.#size);
  }

  /** Replaces the log by one with only what it leads to. A process that is killed meanwhile leaves the old one. */
  #compact(): void {
    const fd = openSync(this.#compactPath, 'w', 0o600);
    let size = 0;
    try {
      for (const lines of chunks(this.#compactRecords())) size += write(fd, lines, size);
      fsyncSync(fd);
      renameSync(this.#compactPath, this.#path);
    } catch (error) {
      closeSync(fd);
      rmSync(this.#compactPath, { force: true });
      throw error;
    }
    this.close();
    this.#fd = fd;
    this.#size = size;
    this.#compactSize = size;
  }

  *#compactRecords(): Generator<LogRecord> {
    yield { revision: this.#revision };
    for (const [value, text] of this.#values) yield { value, text };
    for (const [put, object] of this.#current()) yield { put, object };
  }
}

/** Lines of many records at a time. */
function* chunks(records: Iterable<LogRecord>): Generator<string> {
  let text = '';
  for (const record of records) {
    text += recordLine(record);
    if (text.length < 1 << 20) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Writes all of a text at the end of a file of this size. On an error, such as a full disk, it removes what it wrote. */
function write(fd: number, text: string, size: number): number {
  const bytes = Buffer.from(text);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
  } catch (error) {
    ftruncateSync(fd, size);
    throw error;
  }
  return bytes.length;
}
