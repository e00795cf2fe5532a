import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPrograms, runOrThrow } from './programs.js';
import { findProcess } from './state/process-ref.js';

const run = createPrograms('/root-of-test');

describe('a program', () => {
  it('gets its arguments unchanged, the C locale and the root folder, but no input', async () => {
    const { stdout, exitCode } = await run('sh', ['-c', 'echo "$1 $LC_ALL $NODEAGENT_OCI_ROOT $EXTRA"; cat; exit 3', 'sh', 'a  b'], {
      env: { EXTRA: 'x' },
    });
    expect([stdout, exitCode]).toEqual(['a  b C /root-of-test x\n', 3]);
  });

  it('fails with its name and its standard error, bounded', async () => {
    const failing = runOrThrow(run, 'sh', ['-c', 'head -c 100000 /dev/zero | tr "\\0" x >&2; echo the end >&2; exit 1']);
    const error = await failing.catch((reason: Error) => reason);
    expect(error).toMatchObject({ code: 'CRI_UNKNOWN', details: { program: 'sh', exitCode: 1 } });
    expect(String(error)).toMatch(/ failed: x+the end$/);
    expect(String(error).length).toBeLessThan(5_000);
  });

  it('is killed at its time limit', async () => {
    await expect(run('sleep', ['60'], { timeoutMs: 50 })).rejects.toThrow('sleep cannot be run: no result within 50 ms');
  });

  it('is killed at its time limit with what it has started', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'programs-')), 'pid');
    const script = 'sleep 60 & echo $! > "$1"; wait';
    await expect(run('sh', ['-c', script, 'sh', file], { timeoutMs: 1_000 })).rejects.toThrow('no result within 1000 ms');
    const child = Number(readFileSync(file, 'utf8'));
    rmSync(dirname(file), { recursive: true });
    await expect.poll(() => findProcess(child)).toBeUndefined();
  });

  it('that is missing is named', async () => {
    await expect(run('no-such-program', [])).rejects.toMatchObject({ hint: 'Install the package that has the program no-such-program.' });
  });
});
