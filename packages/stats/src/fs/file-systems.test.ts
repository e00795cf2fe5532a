import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeFileSystems } from './file-systems.js';

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

  const look = async (known?: Awaited<ReturnType<typeof nodeFileSystems.filesIn>>) => {
    const usage = await nodeFileSystems.filesIn(folder, known);
    if (usage === undefined) throw new Error('the folder is gone');
    return usage;
  };

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
    const usage = await look(known);
    expect(usage).toMatchObject({ bytes: 8192n, inodes: 1n });
    expect(usage.files).toBe(known.files);
  });

  it('are read again when one that is known was rotated away', async () => {
    const known = await look();
    renameSync(log, `${log}.20260101-000000`);
    writeFileSync(log, '');
    expect(await look(known)).toMatchObject({ bytes: 4096n, inodes: 2n });
  });

  it('are read again when one that is known is gone, or there was none', async () => {
    const known = await look();
    renameSync(log, join(folder, '1.log'));
    expect(await look(known)).toMatchObject({ bytes: 4096n, files: [{ path: join(folder, '1.log') }] });
    expect(await look({ bytes: 0n, inodes: 0n, files: [] })).toMatchObject({ bytes: 4096n });
  });
});
