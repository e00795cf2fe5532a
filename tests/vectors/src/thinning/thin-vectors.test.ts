import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { thinVectors } from './thin-vectors.js';

let empty: string;

beforeAll(() => {
  empty = mkdtempSync(join(tmpdir(), 'thin-'));
});

afterAll(() => rmSync(empty, { recursive: true, force: true }));

async function run(...args: string[]) {
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  return { code: await thinVectors(args, { log, error: log }), text: lines.join('\n') };
}

describe('the command line of thinning', () => {
  it('prints its usage', async () => {
    expect((await run('--help')).code).toBe(0);
  });

  it.each([
    ['no full set', [], 'name the folder with the full set'],
    ['a folder that is missing', ['--from', '/no/such/folder'], 'no such folder: /no/such/folder'],
    ['an unknown option', ['--fast'], "Unknown option '--fast'"],
    ['a bad number', ['--from', '/', '--jobs', '0'], '--jobs must be a number from 1 on, not "0"'],
    ['the same folder twice', ['--from', tmpdir(), '--to', `${tmpdir()}/`], 'are the same folder'],
  ])('gives 2 for %s and reports the reason', async (_, args, reason) => {
    const { code, text } = await run(...args);
    expect(code).toBe(2);
    expect(text).toContain(reason);
    expect(text).toContain('usage:');
  });

  it('gives 2 if no file matches', async () => {
    expect(await run('--from', empty, '--only', 'pleg-*')).toMatchObject({ code: 2, text: expect.stringContaining('matches "pleg-*"') });
  });
});
