import * as realFs from 'node:fs';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGuardedRequire } from './guarded-require.js';

let top: string;
let inside: string;
let outside: string;
let fs: typeof realFs;

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'guard-')));
  inside = join(top, 'inside');
  outside = join(top, 'outside');
  mkdirSync(inside);
  mkdirSync(outside);
  writeFileSync(join(outside, 'file'), 'kept');
  fs = createGuardedRequire(inside, import.meta.filename)('node:fs') as typeof realFs;
});

afterEach(() => rmSync(top, { recursive: true, force: true }));

describe('the guarded require', () => {
  it('lets code change files in its folder', async () => {
    fs.mkdirSync(join(inside, 'a'));
    fs.writeFileSync(join(inside, 'a', 'file'), 'text');
    await fs.promises.rename(join(inside, 'a', 'file'), join(inside, 'b'));
    expect(readFileSync(join(inside, 'b'), 'utf8')).toBe('text');
    fs.rmSync(join(inside, 'a'), { recursive: true });
  });

  it('lets code change what it opened there', async () => {
    const handle = await fs.promises.open(inside, 'r');
    await fs.promises.chmod(`/proc/self/fd/${handle.fd}`, 0o700);
    await fs.promises.mkdir(`/proc/self/fd/${handle.fd}/a`);
    await handle.close();
    expect(realFs.readdirSync(inside)).toEqual(['a']);
  });

  it('lets code read files elsewhere', async () => {
    expect(fs.readFileSync(join(outside, 'file'), 'utf8')).toBe('kept');
    fs.closeSync(fs.openSync(join(outside, 'file'), 'r'));
    await (await fs.promises.open(join(outside, 'file'), realFs.constants.O_RDONLY)).close();
  });

  it.each<[string, () => void]>([
    ['removes', () => fs.rmSync(outside, { recursive: true })],
    ['writes', () => fs.writeFileSync(join(outside, 'file'), '')],
    ['opens for writing', () => fs.openSync(join(outside, 'file'), 'a')],
    ['opens for writing by number', () => fs.openSync(join(outside, 'file'), realFs.constants.O_RDWR)],
    ['renames away', () => fs.renameSync(join(outside, 'file'), join(inside, 'file'))],
    ['renames to', () => fs.renameSync(inside, join(outside, 'folder'))],
    ['removes the folder itself', () => fs.rmSync(inside, { recursive: true })],
    ['leaves by dots', () => fs.unlinkSync(join(inside, '..', 'outside', 'file'))],
  ])('refuses code that %s outside', (_, change) => {
    expect(change).toThrow('a mutant may not change');
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('kept');
  });

  it('refuses to follow symbolic links to the outside', async () => {
    symlinkSync(outside, join(inside, 'link'));
    symlinkSync(join(outside, 'file'), join(inside, 'to-file'));
    expect(() => fs.unlinkSync(join(inside, 'link', 'file'))).toThrow('a mutant may not change');
    expect(() => fs.promises.chmod(join(inside, 'to-file'), 0o777)).toThrow('a mutant may not change');
    fs.unlinkSync(join(inside, 'to-file'));
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('kept');
  });

  it('starts no process', () => {
    const { execFileSync } = createGuardedRequire(inside, import.meta.filename)('child_process') as typeof import('node:child_process');
    expect(() => execFileSync('true')).toThrow('a mutant may not start a process');
  });
});
