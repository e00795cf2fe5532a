import { mkdirSync, readdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecord, encodeRecord } from './record-json.js';
import type { ContainerRecord, SandboxRecord } from './records.js';

/** Records of one kind, one file each. */
interface RecordFolder<T extends { id: string }> {
  save(record: T): void;
  /** Does nothing if the record is missing. */
  remove(id: string): void;
  /** All readable records; an unreadable one is renamed to `*.unreadable` and reported. */
  load(onUnreadable: (path: string, error: unknown) => void): T[];
}

/**
 * The runtime's state on disk. Writes are synchronous, so that they keep their order and a started process is recorded before other code
 * runs. They are small and not synced to disk: they must survive a crash of this process, but not of the machine, which kills all
 * containers anyway.
 */
export interface Store {
  sandboxes: RecordFolder<SandboxRecord>;
  containers: RecordFolder<ContainerRecord>;
  /** The folder where output pipes exist until they are unlinked; symlinks are resolved. */
  pipeFolder: string;
}

/** Creates the folders with mode 0700. */
export function openStore(root: string): Store {
  const folders = { sandboxes: join(root, 'sandboxes'), containers: join(root, 'containers'), pipes: join(root, 'pipes') };
  rmSync(folders.pipes, { recursive: true, force: true });
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    sandboxes: recordFolder(folders.sandboxes, isSandboxRecord),
    containers: recordFolder(folders.containers, isContainerRecord),
    pipeFolder: realpathSync(folders.pipes),
  };
}

function recordFolder<T extends { id: string }>(folder: string, isValid: (value: unknown) => value is T): RecordFolder<T> {
  const pathOf = (id: string) => join(folder, `${id}.json`);
  const read = (name: string): T => {
    const value: unknown = decodeRecord(readFileSync(join(folder, name), 'utf8'));
    if (!isValid(value) || `${value.id}.json` !== name) throw new Error('not a record of this runtime');
    return value;
  };
  return {
    save(record) {
      const path = pathOf(record.id);
      writeFileSync(`${path}.tmp`, encodeRecord(record), { mode: 0o600 });
      renameSync(`${path}.tmp`, path);
    },
    remove: (id) => rmSync(pathOf(id), { force: true }),
    load(onUnreadable) {
      const records: T[] = [];
      for (const name of readdirSync(folder)) {
        const path = join(folder, name);
        if (name.endsWith('.tmp')) rmSync(path, { force: true });
        if (!name.endsWith('.json')) continue;
        try {
          records.push(read(name));
        } catch (error) {
          renameSync(path, `${path}.unreadable`);
          onUnreadable(path, error);
        }
      }
      return records;
    },
  };
}

const isSandboxRecord = (value: unknown): value is SandboxRecord =>
  hasFields(value, { id: 'string', state: 'string', config: 'object', createdAt: 'bigint' });

const isContainerRecord = (value: unknown): value is ContainerRecord =>
  isSandboxRecord(value) &&
  hasFields(value, { podSandboxId: 'string', logPath: 'string', user: 'object', startedAt: 'bigint', finishedAt: 'bigint' });

function hasFields(value: unknown, types: Record<string, string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(types).every(([name, type]) => {
    const field: unknown = Reflect.get(value, name);
    return typeof field === type && field !== null;
  });
}
