import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkRotatedLog, prepareLog } from './log-file.js';

describe('the log of a container', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-file-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is created with its folders, and readable by its group', () => {
    const path = join(folder, 'main/0.log');
    prepareLog(path);
    expect(statSync(path).mode & 0o777).toBe(0o640);
    writeFileSync(path, 'a line');
    prepareLog(path);
    expect(readFileSync(path, 'utf8')).toBe('a line');
  });

  it.each([
    ['link to a file', (path: string) => symlinkSync(join(path, '../secret'), path)],
    ['link to a file that is missing', (path: string) => symlinkSync(join(path, '../missing'), path)],
    ['pipe', (path: string) => execFileSync('mkfifo', [path])],
    ['folder', (path: string) => mkdirSync(path)],
  ])('is no %s', (_name, create) => {
    writeFileSync(join(folder, 'secret'), '', { mode: 0o600 });
    const path = join(folder, '0.log');
    create(path);
    for (const check of [prepareLog, checkRotatedLog]) expect(() => check(path)).toThrow(`cannot open the log ${path}`);
    expect(statSync(join(folder, 'secret')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'missing'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('is opened again where there is no file, or one, and none that is no file beside it', () => {
    const path = join(folder, '0.log');
    checkRotatedLog(path);
    writeFileSync(path, '');
    checkRotatedLog(path);
    symlinkSync(join(folder, 'secret'), `${path}.tmp`);
    expect(() => checkRotatedLog(path)).toThrow(`cannot open the log ${path}.tmp`);
  });
});
