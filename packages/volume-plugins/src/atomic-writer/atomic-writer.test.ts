import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createVirtualClock } from '@nodeagent/testing';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Payload } from '../payload/payload.js';
import { removeLeftovers, writeAtomically } from './atomic-writer.js';
import { nodeWriterFiles, type WriterFiles } from './writer-files.js';

const payloadOf = (files: Record<string, string>): Payload =>
  new Map(Object.entries(files).map(([path, text]) => [path, { data: Buffer.from(text), mode: 0o644 }]));

const older = { a: 'old a', removed: 'old', 'deep/b': 'old b' };
const newer = { a: 'new a', 'deep/b': 'new b', 'more/c': 'new c' };

/** Fails the call of that number; a crash also fails all later ones. */
function failing(at: number, isCrash: boolean): { files: WriterFiles; reached: () => boolean } {
  let calls = 0;
  const wrap =
    (operation: (...args: never[]) => Promise<unknown>) =>
    async (...args: never[]) => {
      calls++;
      if (calls === at || (isCrash && calls > at)) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      return operation(...args);
    };
  const files = Object.fromEntries(Object.entries(nodeWriterFiles).map(([name, operation]) => [name, wrap(operation as never)]));
  return { files: files as unknown as WriterFiles, reached: () => calls >= at };
}

describe('the atomic writer', () => {
  const clock = createVirtualClock();
  let targetDir: string;
  beforeEach(() => {
    targetDir = mkdtempSync(join(tmpdir(), 'nodeagent-writer-'));
  });
  afterEach(() => rmSync(targetDir, { recursive: true, force: true }));

  const read = (path: string) => readFileSync(join(targetDir, path), 'utf8');
  const timestamped = () => readdirSync(targetDir).filter((name) => /^\.\.\d/.test(name));

  for (const isCrash of [true, false]) {
    it(`shows all old or all new files when ${isCrash ? 'it ends' : 'the disk is full'} at any step, and the next write repairs it`, async () => {
      let interrupted = 0;
      for (let at = 1; ; at++) {
        rmSync(targetDir, { recursive: true });
        await nodeWriterFiles.mkdir(targetDir);
        await writeAtomically({ targetDir, clock, payload: payloadOf(older) });
        const { files, reached } = failing(at, isCrash);
        const failed = await writeAtomically({ targetDir, clock, payload: payloadOf(newer), files }).then(
          () => false,
          () => true,
        );
        if (!reached()) break;
        if (failed) interrupted++;
        const seen = { a: read('a'), b: read('deep/b') };
        expect([
          { a: 'old a', b: 'old b' },
          { a: 'new a', b: 'new b' },
        ]).toContainEqual(seen);
        // A name appears once its file exists; the name of a removed file disappears after it.
        const names = readdirSync(targetDir).filter((name) => !name.startsWith('..') && name !== 'removed');
        expect(names.filter((name) => !existsSync(join(targetDir, name)))).toEqual([]);

        await removeLeftovers(targetDir);
        await writeAtomically({ targetDir, clock, payload: payloadOf(newer) });
        expect([read('a'), read('deep/b'), read('more/c')]).toEqual(['new a', 'new b', 'new c']);
        expect(readdirSync(targetDir).filter((name) => !existsSync(join(targetDir, name)))).toEqual([]);
        expect(timestamped()).toEqual([readlinkSync(join(targetDir, '..data'))]);
      }
      expect(interrupted).toBeGreaterThan(15);
    });
  }

  it('does not rewrite files whose content has not changed', async () => {
    await writeAtomically({ targetDir, clock, payload: payloadOf(older) });
    const before = readlinkSync(join(targetDir, '..data'));
    let asked = false;
    const setPermissions = async () => {
      asked = true;
    };
    await writeAtomically({ targetDir, clock, payload: payloadOf(older), setPermissions });
    expect([readlinkSync(join(targetDir, '..data')), asked]).toEqual([before, false]);
  });

  it('removes the link of a removed key that an interrupted write left, even if its own content has not changed', async () => {
    await writeAtomically({ targetDir, clock, payload: payloadOf(older) });
    const killed: WriterFiles = {
      ...nodeWriterFiles,
      async rename(from, to) {
        await nodeWriterFiles.rename(from, to);
        throw new Error('killed');
      },
      remove: () => Promise.reject(new Error('killed')),
    };
    await expect(writeAtomically({ targetDir, clock, payload: payloadOf(newer), files: killed })).rejects.toThrow('killed');
    expect([readlinkSync(join(targetDir, 'removed')), existsSync(join(targetDir, 'removed'))]).toEqual(['..data/removed', false]);
    await writeAtomically({ targetDir, clock, payload: payloadOf(newer) });
    expect(readdirSync(targetDir).filter((name) => !name.startsWith('..'))).toEqual(['a', 'deep', 'more']);
  });

  it('keeps the links, files and folders of others', async () => {
    await writeAtomically({ targetDir, clock, payload: payloadOf(older) });
    symlinkSync('..data/a', join(targetDir, 'alias'));
    symlinkSync('/etc/hosts', join(targetDir, 'hosts'));
    mkdirSync(join(targetDir, 'mounted'));
    await writeAtomically({ targetDir, clock, payload: payloadOf({ a: 'new' }) });
    expect(readdirSync(targetDir).filter((name) => !name.startsWith('..'))).toEqual(['a', 'alias', 'hosts', 'mounted']);
  });

  it('writes a file again that it may not read, such as one of mode 0200 without root', async () => {
    const forbidden = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    const files: WriterFiles = { ...nodeWriterFiles, readFile: () => Promise.reject(forbidden) };
    await writeAtomically({ targetDir, clock, payload: payloadOf(older), files });
    await writeAtomically({ targetDir, clock, payload: payloadOf(newer), files });
    expect([read('a'), read('deep/b'), read('more/c')]).toEqual(['new a', 'new b', 'new c']);
    expect(timestamped()).toEqual([readlinkSync(join(targetDir, '..data'))]);
  });

  it('shows the new files once they have their permissions', async () => {
    await writeAtomically({ targetDir, clock, payload: payloadOf(older) });
    const seen: string[] = [];
    const setPermissions = async () => void seen.push(read('a'));
    await writeAtomically({ targetDir, clock, payload: payloadOf(newer), setPermissions });
    expect([...seen, read('a')]).toEqual(['old a', 'new a']);
  });

  it('accepts names of at most 255 bytes, as file systems do', async () => {
    await writeAtomically({ targetDir, clock, payload: payloadOf({ ['ä'.repeat(127)]: 'fits' }) });
    await expect(writeAtomically({ targetDir, clock, payload: payloadOf({ ['ä'.repeat(128)]: '' }) })).rejects.toMatchObject({
      code: 'InvalidPayload',
      message: 'invalid path: filenames must be less than or equal to 255 characters',
    });
  });

  it('creates each file with at most its mode, even if the umask allows more', async () => {
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    const created: string[] = [];
    const files: WriterFiles = {
      ...nodeWriterFiles,
      async writeFile(path, data, mode) {
        await nodeWriterFiles.writeFile(path, data, mode);
        created.push((statSync(path).mode & 0o7777).toString(8));
      },
    };
    const payload: Payload = new Map([0o400, 0o600, 0o640, 0o666].map((mode) => [mode.toString(8), { data: Buffer.from('key'), mode }]));
    await writeAtomically({ targetDir, clock, payload, files });
    expect(created).toEqual(['400', '600', '640', '666']);
  });

  it('sets the mode of each file even if the umask is stricter', async () => {
    const umask = process.umask(0o077);
    onTestFinished(() => void process.umask(umask));
    await writeAtomically({ targetDir, clock, payload: new Map([['a', { data: Buffer.from('key'), mode: 0o644 }]]) });
    expect(statSync(join(targetDir, 'a')).mode & 0o777).toBe(0o644);
  });

  it('does not change a volume if a path leads out of it', async () => {
    await expect(writeAtomically({ targetDir, clock, payload: payloadOf({ ok: '', '../x': '' }) })).rejects.toMatchObject({
      code: 'InvalidPayload',
      message: "invalid path: must not contain '..': ../x",
    });
    expect(readdirSync(targetDir)).toEqual([]);
  });
});
