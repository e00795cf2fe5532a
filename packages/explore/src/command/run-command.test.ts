import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobLimits } from './job.js';
import { type CommandPorts, runCommand } from './run-command.js';

const folder = mkdtempSync(join(tmpdir(), 'explore-command-'));
const fileOf = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const scenario = (invariant: string) => `
export const setup = () => {};
export const options = { controller() {}, duration: '1m', cluster: { nodes: 0 }, invariants: [{ name: 'rule', check: () => ${invariant} }] };`;

let [safe, faulty] = ['', ''];
beforeAll(() => {
  safe = fileOf('safe.mjs', scenario('undefined'));
  faulty = fileOf('faulty.mjs', scenario('"it is so"'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function run(args: string[], more: Partial<CommandPorts> = {}) {
  let [out, err] = ['', ''];
  const code = await runCommand(args, {
    out(text) {
      out += text;
    },
    err(text) {
      err += text;
    },
    isTerminal: false,
    version: '1.2.3',
    runElsewhere: () => Promise.reject(new Error('no processes')),
    ...more,
  });
  return { code, out, err };
}

describe('explore', () => {
  it('exits with 0 if no schedule breaks an invariant', async () => {
    const { code, err } = await run([safe, '--jobs', '1']);
    expect([code, err]).toEqual([0, expect.stringMatching(/^1 schedules in [\d.]+ s: no other one can differ\n$/)]);
  });

  it('reports a failure, writes a test that repeats it, and exits with 1', async () => {
    const { code, out, err } = await run([faulty, '--jobs', '1']);
    expect([code, out]).toEqual([1, expect.stringContaining('broken: rule\n  it is so\nschedule: undisturbed, seed 1')]);
    const test = join(folder, 'faulty.explore.test.mjs');
    expect(err).toContain(`a test that repeats it: ${test}`);
    expect(readFileSync(test, 'utf8')).toContain("import { options, setup } from './faulty.mjs'");
    expect(await run([faulty, '--replay', 'undisturbed'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('broken: rule: it is so'),
    });
  });

  it('shares the schedules among processes, and ends them all at a failure', async () => {
    const shares: JobLimits[] = [];
    const failure = { text: 'broken', test: '' };
    const { code, out, err } = await run([safe, '--schedules', '7', '--jobs', '3', '--test-file', join(folder, 't.mjs')], {
      runElsewhere: (limits, onProgress, signal) => {
        shares.push(limits);
        onProgress(1);
        if (limits.share?.index === 1) return Promise.resolve({ schedules: 2, isExhausted: false, failure });
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
      },
    });
    expect([code, out]).toEqual([1, 'broken\n']);
    expect(shares.map(({ schedules, share }) => [schedules, share?.index, share?.count])).toEqual([
      [3, 0, 3],
      [2, 1, 3],
      [2, 2, 3],
    ]);
    expect(err).toContain('4 schedules in');
  });

  it.each([
    [['--jobs', '0', 's.mjs'], 2, '--jobs must be a number from 1, not "0"'],
    [[], 2, 'give one module with the scenario'],
    [['s.mjs', '--flood'], 2, "Unknown option '--flood'"],
    [['/no/such.mjs', '--jobs', '1'], 1, '/no/such.mjs'],
  ])('rejects %j', async (args, code, why) => {
    expect(await run(args)).toMatchObject({ code, err: expect.stringContaining(why) });
  });

  it('names what a scenario lacks', async () => {
    const { code, err } = await run([fileOf('empty.mjs', 'export const setup = () => {};'), '--jobs', '1']);
    expect([code, err]).toEqual([1, expect.stringContaining('does not export "options" with a "controller"')]);
  });
});
