import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FolderUsage, nodeFileSystems } from './file-systems.js';

describe('the files in a folder', () => {
  const block = 'x'.repeat(4096);
  let folder: string;
  let log: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'nodeagent-files-'));
    log = join(folder, '0.log');
    writeFileSync(log, block);
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const look = async () => {
    const usage = await nodeFileSystems.filesIn(folder);
    if (usage === undefined) throw new Error('the folder is gone');
    return usage;
  };
  const again = (known: FolderUsage) => nodeFileSystems.again?.(known);

  it('are those that are regular and lie directly in it', async () => {
    mkdirSync(join(folder, 'below'));
    writeFileSync(join(folder, 'below', 'deep'), block);
    symlinkSync(log, join(folder, 'link'));
    expect(await look()).toMatchObject({ bytes: 4096n, inodes: 1n, files: [{ path: log }] });
  });

  it('are none of a folder that is not there, and no bytes of one that is empty', async () => {
    expect(await nodeFileSystems.filesIn(join(folder, 'nowhere'))).toBeUndefined();
    rmSync(log);
    expect(await look()).toEqual({ bytes: 0n, inodes: 0n, files: [] });
  });

  it('that are known are looked at without the folder', async () => {
    const known = await look();
    appendFileSync(log, block);
    writeFileSync(join(folder, 'beside'), block);
    expect(again(known)).toEqual({ bytes: 8192n, inodes: 1n, files: known.files });
  });

  it('have to be read again when one that is known was rotated away', async () => {
    const known = await look();
    renameSync(log, `${log}.20260101-000000`);
    writeFileSync(log, '');
    expect(again(known)).toBeUndefined();
    expect(await look()).toMatchObject({ bytes: 4096n, inodes: 2n });
  });

  it('have to be read again when one that is known is gone, there was none, or it is not said which', async () => {
    const known = await look();
    renameSync(log, join(folder, '1.log'));
    expect(again(known)).toBeUndefined();
    expect(await look()).toMatchObject({ bytes: 4096n, files: [{ path: join(folder, '1.log') }] });
    expect(again({ bytes: 0n, inodes: 0n, files: [] })).toBeUndefined();
    expect(again({ bytes: 0n, inodes: 0n })).toBeUndefined();
  });
});
