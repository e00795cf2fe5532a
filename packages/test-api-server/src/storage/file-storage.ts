import { closeSync, fsyncSync, ftruncateSync, openSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { NodeAgentError } from '@nodeagent/api';
import { lockExclusively } from '@nodeagent/api/files';
import { lockHolderText } from '@nodeagent/api/helpers';
import { testApiServerErrorCodes } from '../errors.js';
import type { ApiObject } from '../objects.js';
import { storeKey } from '../store/object-store.js';
import type { ServerStorage, StoredState } from '../store/server-storage.js';
import { Compaction, compactPath } from './compaction.js';
import { LogFile } from './log-file.js';
import { header, type LogRecord, readRecords, recordLine } from './log-records.js';

/** Options of {@link fileStorage}. */
export interface FileStorageOptions {
  /** The log is compacted once it has grown to twice its compact size, but not below this number of bytes. Default 4 MiB. */
  minCompactionBytes?: number;
  /**
   * Whether clients get their answer only once the change is on the disk, so that it survives a power cut too. Default false: a write costs some
   * microseconds, with true a wait for the disk, often milliseconds, which concurrent writes share. Watches report a change without this
   * wait, and `objects` does not wait.
   */
  sync?: boolean;
}

/**
 * Keeps a server's objects in a file: a log to which every change is appended before the client gets its answer, so that a killed process loses
 * no acknowledged write. If the machine loses power the log may lack the last seconds, but for `sync`. The file also has the
 * server's keys and is readable by its owner only. It is locked until the server is closed, by a socket beside it.
 *
 * Rejects with `StorageInUse` if another server uses the file, with `CorruptStorage` if it is damaged or no such log, and with the errors of
 * the file system. A write for which the disk has no space is refused with 500; later ones work if they have space.
 */
export async function fileStorage(path: string, options: FileStorageOptions = {}): Promise<ServerStorage> {
  const file = realPath(path);
  const unlock = await lockExclusively(dirname(file), `${basename(file)}.lock`, (holder) => inUse(path, lockHolderText(holder)));
  try {
    const { minCompactionBytes = 4 * 1024 * 1024, sync = false } = options;
    return new FileStorage(file, { minCompactionBytes, sync }, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

const inUse = (path: string, holder: string) =>
  new NodeAgentError(testApiServerErrorCodes.storageInUse, `use ${path}: ${holder} uses it`, {
    details: { path },
    hint: 'stop that server, or choose another file',
  });

/** The file that a path leads to; it may not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return join(realpathSync(dirname(path)), basename(path));
  }
}

type Entry = [storage: string, object: ApiObject];

class FileStorage implements ServerStorage {
  readonly #path: string;
  readonly #options: Required<FileStorageOptions>;
  readonly #unlock: () => void;
  readonly #values = new Map<string, string>();
  /** What the previous run left, until the server has it. */
  #left: Entry[];
  #log: LogFile | undefined;
  #compaction: Compaction | undefined;
  #compactSize = 0;
  #revision = 0;
  #current: () => Iterable<Entry> = () => [];

  constructor(path: string, options: Required<FileStorageOptions>, unlock: () => void) {
    this.#path = path;
    this.#options = options;
    this.#unlock = unlock;
    const fd = openSync(path, 'a+', 0o600);
    try {
      const { entries, length } = this.#replay(fd);
      this.#left = entries;
      ftruncateSync(fd, length);
      this.#log = new LogFile(fd, length);
      if (length === 0) this.#log.append(header);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    rmSync(compactPath(path), { force: true });
    if (options.sync) this.#syncFolder();
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
    const objects = this.#left;
    this.#left = [];
    return { objects, revision: this.#revision };
  }

  value(name: string): string | undefined {
    return this.#values.get(name);
  }

  setValue(name: string, text: string): void {
    this.#append({ value: name, text });
    this.#values.set(name, text);
  }

  async flushed(): Promise<void> {
    if (this.#options.sync) await this.#log?.sync();
  }

  close(): void {
    if (this.#log === undefined) return;
    this.#compaction?.abandon();
    this.#log.close();
    this.#log = undefined;
    this.#unlock();
  }

  /** The objects that are left, in the order in which they were put first, and the length of the log. */
  #replay(fd: number): { entries: Entry[]; length: number } {
    const left = new Map<string, { entry: Entry; bytes: number }>();
    const keyOf = (storage: string, namespace: string | undefined, name: string) => `${storage} ${storeKey(namespace, name)}`;
    const records = readRecords(fd, this.#path);
    let next = records.next();
    for (; !next.done; next = records.next()) {
      const { record, bytes } = next.value;
      if ('put' in record) {
        const object = record.object as ApiObject;
        const { namespace, name = '', resourceVersion } = object.metadata;
        left.set(keyOf(record.put, namespace, name), { entry: [record.put, object], bytes });
        this.#revision = Math.max(this.#revision, Number(resourceVersion));
      } else if ('remove' in record) left.delete(keyOf(record.remove, record.namespace, record.name));
      else if ('value' in record) this.#values.set(record.value, record.text);
      if ('revision' in record) this.#revision = Math.max(this.#revision, record.revision);
    }
    for (const { bytes } of left.values()) this.#compactSize += bytes;
    return { entries: [...left.values()].map(({ entry }) => entry), length: next.value };
  }

  #append(record: LogRecord): void {
    if (this.#log === undefined) return;
    // Before the change, which the store has only afterwards. It may succeed although the log cannot be compacted, as for a full disk.
    try {
      this.#compact(this.#log);
    } catch {
      this.#compaction?.abandon();
      this.#compaction = undefined;
      this.#compactSize = this.#log.size;
    }
    this.#log.append(recordLine(record));
  }

  #compact(log: LogFile): void {
    const { minCompactionBytes, sync } = this.#options;
    if (this.#compaction === undefined) {
      if (log.size <= Math.max(minCompactionBytes, 2 * this.#compactSize)) return;
      this.#compaction = new Compaction(this.#path, log, this.#compactRecords(), sync);
    }
    const replaced = this.#compaction.step();
    if (replaced === undefined) return;
    this.#compaction = undefined;
    log.close();
    this.#log = replaced;
    this.#compactSize = replaced.size;
    if (sync) this.#syncFolder();
  }

  *#compactRecords(): Generator<LogRecord> {
    yield { revision: this.#revision };
    for (const [value, text] of this.#values) yield { value, text };
    for (const [put, object] of this.#current()) yield { put, object };
  }

  /** Makes the name of a new file survive a power cut. */
  #syncFolder(): void {
    const fd = openSync(dirname(this.#path), 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }
}
