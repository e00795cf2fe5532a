import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeRecord, encodeRecord } from '@nodeagent/process-runtime/cri';

/** A folder for each sandbox or container, named after it, with its record and whatever else it has on the disk. */
export interface RecordFolder<T extends { id: string }> {
  pathOf(id: string): string;
  /** Writes a new file and renames it. Creates the folder. Synchronous, so that records keep the order of the steps. */
  save(record: T): void;
  /** The records, and the IDs of folders without a readable one: their records were not written completely. */
  load(): { records: T[]; unreadable: string[] };
}

const isId = (name: string) => /^[0-9a-f]{64}$/.test(name);

/** Creates the folder with mode 0711: the root file systems below it are those of users. */
export function openRecordFolder<T extends { id: string }>(folder: string): RecordFolder<T> {
  mkdirSync(folder, { recursive: true, mode: 0o711 });
  const pathOf = (id: string) => join(folder, id);
  const fileOf = (id: string) => join(pathOf(id), 'record.json');

  function read(id: string): T | undefined {
    try {
      const record = decodeRecord(readFileSync(fileOf(id), 'utf8')) as T;
      return record.id === id ? record : undefined;
    } catch {
      return undefined;
    }
  }

  return {
    pathOf,
    save(record) {
      const path = fileOf(record.id);
      mkdirSync(pathOf(record.id), { recursive: true, mode: 0o711 });
      writeFileSync(`${path}.tmp`, encodeRecord(record), { mode: 0o600 });
      renameSync(`${path}.tmp`, path);
    },
    load() {
      const ids = readdirSync(folder).filter(isId);
      const found = ids.map((id) => ({ id, record: read(id) }));
      return {
        records: found.flatMap(({ record }) => record ?? []),
        unreadable: found.filter(({ record }) => record === undefined).map(({ id }) => id),
      };
    },
  };
}
