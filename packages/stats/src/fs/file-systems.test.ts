import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FolderUsage, nodeFileSystems } from './file-systems.js';

describe('usage of the files in a folder', () => {
  const block = 'x'.repeat(4096);
  let folder: string;
  let log: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'nodeagent-files-'));
    log = join(folder, '0.log');
    writeFileSync(log, block);
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const measure = async () => {
    const usage = await nodeFileSystems.filesIn(folder);
    if (usage === undefined) throw new Error('the folder is missing');
    return usage;
  };
  const again = (known: FolderUsage) => nodeFileSystems.again?.(known);

  it('counts only regular files directly in the folder', async () => {
    mkdirSync(join(folder, 'below'));
    writeFileSync(join(folder, 'below', 'deep'), block);
    symlinkSync(log, join(folder, 'link'));
    expect(await measure()).toMatchObject({ bytes: 4096n, inodes: 1n, files: [{ path: log }] });
  });

  it('is undefined for a missing folder and 0 bytes for an empty one', async () => {
    expect(await nodeFileSystems.filesIn(join(folder, 'nowhere'))).toBeUndefined();
    rmSync(log);
    expect(await measure()).toEqual({ bytes: 0n, inodes: 0n, files: [] });
  });

  it('is measured again without reading the folder', async () => {
    const known = await measure();
    appendFileSync(log, block);
    writeFileSync(join(folder, 'beside'), block);
    expect(again(known)).toEqual({ bytes: 8192n, inodes: 1n, files: known.files });
  });

  it('requires reading the folder again after a log rotation', async () => {
    const known = await measure();
    renameSync(log, `${log}.20260101-000000`);
    writeFileSync(log, '');
    expect(again(known)).toBeUndefined();
    expect(await measure()).toMatchObject({ bytes: 4096n, inodes: 2n });
  });

  it('requires reading the folder again if a file was removed, or the result has no files or does not name them', async () => {
    const known = await measure();
    renameSync(log, join(folder, '1.log'));
    expect(again(known)).toBeUndefined();
    expect(await measure()).toMatchObject({ bytes: 4096n, files: [{ path: join(folder, '1.log') }] });
    expect(again({ bytes: 0n, inodes: 0n, files: [] })).toBeUndefined();
    expect(again({ bytes: 0n, inodes: 0n })).toBeUndefined();
  });
});
