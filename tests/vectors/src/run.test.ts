import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Adapter, defineAdapter } from './adapter.js';
import type { Mask } from './mask.js';
import { runConformance } from './run.js';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'conformance-'));
});

afterEach(() => rmSync(dir, { recursive: true, force: true }));

const double = defineAdapter('double', ({ n }) => n * 2);

function write(file: string, cases: [input: unknown, output: unknown][]) {
  mkdirSync(join(dir, 'sub'), { recursive: true });
  writeFileSync(
    join(dir, 'sub', file),
    cases.map(([input, output], i) => `${JSON.stringify({ id: `case-${i}`, input, output })}\n`).join(''),
  );
}

interface Subjects {
  adapters?: Adapter[];
  withoutAdapter?: Record<string, string>;
}

async function run(args: string[], { adapters = [double], withoutAdapter = {} }: Subjects = {}) {
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const code = await runConformance(['--dir', dir, ...args], { adapters, withoutAdapter }, { log, error: log });
  return { code, text: lines.join('\n') };
}

describe('the conformance runner', () => {
  it('gives 0 when all agree, in every file of a subject', async () => {
    write('double.jsonl', [[{ n: 1 }, 2]]);
    write('double.more.jsonl', [
      [{ n: 2 }, 4],
      [{ n: 3 }, 6],
    ]);
    expect(await run([])).toEqual({ code: 0, text: 'sub/double 1/1\nsub/double.more 2/2\ntotal 3/3' });
  });

  it('gives 1 when a case differs, and shows where', async () => {
    write('double.jsonl', [
      [{ n: 1 }, 3],
      [{ n: 2 }, 4],
      [{ n: 3 }, 7],
    ]);
    const { code, text } = await run(['--show', '1']);
    expect(code).toBe(1);
    expect(text).toBe('sub/double 1/3\n  case-0\n    $\n      expected 3\n      actual   2\ntotal 1/3');
  });

  it('gives 1 when an adapter throws', async () => {
    write('double.jsonl', [[null, 3]]);
    const { code, text } = await run([]);
    expect(code).toBe(1);
    expect(text).toContain('threw TypeError');
  });

  it('gives 1 for a file without an adapter', async () => {
    write('double.jsonl', [[{ n: 1 }, 2]]);
    write('other.jsonl', [[1, 1]]);
    const { code, text } = await run([]);
    expect(code).toBe(1);
    expect(text).toMatch(/^sub\/double 1\/1\nfailed: other has no adapter: .*\ntotal 1\/1, 1 problem with subjects$/);
  });

  it('gives 0 if the file is listed, and prints the reason', async () => {
    write('double.jsonl', [[{ n: 1 }, 2]]);
    write('other.jsonl', [[1, 1]]);
    expect(await run([], { withoutAdapter: { other: 'nothing multiplies' } })).toEqual({
      code: 0,
      text: 'sub/double 1/1\nno adapter: sub/other (1 case): nothing multiplies\ntotal 1/1, 1 file without an adapter',
    });
  });

  it('gives 1 for stale entries in a whole set, but not in a part of it', async () => {
    write('double.jsonl', [[{ n: 1 }, 2]]);
    const withoutAdapter = { removed: 'nothing multiplies' };
    expect(await run([], { withoutAdapter })).toMatchObject({
      code: 1,
      text: expect.stringContaining('failed: removed has no vector file'),
    });
    expect((await run(['--only', 'double'], { withoutAdapter })).code).toBe(0);
  });

  it('prints each mask with its reason and the cases that need it', async () => {
    write('double.jsonl', [
      [{ n: 1 }, -2],
      [{ n: 2 }, 4],
    ]);
    const sign: Mask = { name: 'sign', reason: 'free', hide: ({ expected }) => ({ expected: Math.abs(expected) }) };
    const adapters = [defineAdapter('double', ({ n }) => n * 2, { masks: [sign] })];
    expect(await run([], { adapters })).toEqual({
      code: 0,
      text: 'sub/double 2/2\nmasked: sign, 1 case of double: free\ntotal 2/2, 1 mask required',
    });
  });

  it('replays chosen files', async () => {
    write('double.jsonl', [[{ n: 1 }, 2]]);
    write('other.jsonl', [[1, 1]]);
    expect((await run(['--only', 'do*'])).text).toBe('sub/double 1/1\ntotal 1/1');
    expect((await run(['--only', 'd?uble'])).code).toBe(0);
    expect((await run(['--only', 'd.uble'])).code).toBe(2);
  });

  it.each([
    ['an unknown option', ['--fast']],
    ['a bad number', ['--show', 'many']],
    ['no files', ['--only', 'nothing']],
    ['no folder', ['--dir', '/no/such/folder']],
  ])('gives 2 for %s', async (_, args) => {
    write('double.jsonl', [[{ n: 1 }, 2]]);
    const { code, text } = await run(args);
    expect(code).toBe(2);
    expect(text).toContain('usage:');
  });

  it('prints its usage', async () => {
    expect((await run(['--help'])).code).toBe(0);
  });

  it('passes the folder of the file to an adapter, and isolates cases from each other', async () => {
    write('table.jsonl', [[{ key: 'a' }, 1]]);
    writeFileSync(join(dir, 'sub', 'companion.json'), '{"a":1}');
    const adapter = defineAdapter('table', async (input, context) => {
      const { key } = input;
      input.key = 'changed';
      return JSON.parse(readFileSync(join(context.dir, 'companion.json'), 'utf8'))[key];
    });
    expect((await run([], { adapters: [adapter] })).code).toBe(0);
  });
});
