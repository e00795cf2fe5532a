import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMutantRunner, type MutantRunner } from './mutant-runner.js';

/** A short bundle in the instrumenter's form: an adapter that doubles, with a mutant for each kind of failure. */
const code = `
const isActive = (id) => {
  const { activeMutant, hitLimit } = __stryker__;
  if (activeMutant !== id) return false;
  if (++__stryker__.hitCount > hitLimit) throw new Error('hit limit');
  return true;
};
const cover = (...ids) => {
  const { mutantCoverage, currentTestId } = __stryker__;
  const counts = currentTestId ? (mutantCoverage.perTest[currentTestId] ??= {}) : mutantCoverage.static;
  for (const id of ids) counts[id] = 1;
};
cover('table');
const factor = isActive('table') ? 3 : 2;
const adapter = {
  name: 'double',
  async run(n) {
    cover('wrong');
    while (isActive('endless')) {}
    if (isActive('deaf')) for (;;) await undefined;
    if (isActive('waits')) await new Promise(() => setInterval(() => {}, 10));
    if (isActive('exits') && n === 2) process.exit(7);
    if (isActive('never')) await new Promise(() => {});
    if (isActive('misshapen')) return undefined;
    if (n > 1) cover('large');
    if (n > 1 && isActive('large')) return 0;
    return isActive('wrong') ? n : n * factor;
  },
};
exports.adapters = [adapter];
exports.replayCase = async ({ run }, { input, output }) => {
  const answer = await run(input).catch(() => NaN);
  return answer.toString() === output.toString() ? undefined : {};
};
`;

let dir: string;
let path: string;
let runner: MutantRunner;

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'mutant-runner-'));
  path = join(dir, 'double.jsonl');
  const lines = [0, 1, 2, 3].map((n) => JSON.stringify({ id: `case-${n}`, input: n, output: n * 2 }));
  writeFileSync(path, `${lines.join('\n')}\n`);
  runner = createMutantRunner(code);
});

afterAll(() => {
  runner.stop();
  rmSync(dir, { recursive: true, force: true });
});

const all = [0, 1, 2, 3];

describe('the mutant runner', () => {
  it('reports what each case reaches', async () => {
    const reached = [['wrong'], ['wrong'], ['wrong', 'large'], ['wrong', 'large']];
    expect(await runner.reach(path)).toEqual({ reached, atLoad: ['table'], differing: [] });
  });

  it('reports the cases that kill a mutant, up to the requested number', async () => {
    expect(await runner.kill(path, 'wrong', all, 9)).toEqual({ killers: [1, 2, 3] });
    expect(await runner.kill(path, 'wrong', [3, 0, 2, 1], 2)).toEqual({ killers: [3, 2] });
    expect(await runner.kill(path, 'large', all, 9)).toEqual({ killers: [2, 3] });
    expect(await runner.kill(path, 'misshapen', all, 2)).toEqual({ killers: [0, 1] });
    expect(await runner.kill(path, 'none', all, 9)).toEqual({ killers: [] });
  });

  it('reloads the modules for a mutant in code that runs at load', async () => {
    expect(await runner.kill(path, 'table', all, 9)).toEqual({ killers: [1, 2, 3] });
    expect(await runner.kill(path, 'none', all, 9)).toEqual({ killers: [] });
  });

  it('stops endless loops and waits of a mutant', async () => {
    expect(await runner.kill(path, 'endless', all, 1)).toEqual({ killers: [0] });
    expect(await runner.kill(path, 'never', all, 2)).toEqual({ killers: [0, 1] });
  });

  it.each([
    ['ends the process', 'exits', 2],
    ['never releases its thread', 'deaf', 0],
    ['leaves something running', 'waits', 0],
  ])('survives a mutant that %s, and names the case', async (_, mutant, killer) => {
    expect(await runner.kill(path, mutant, all, 9)).toEqual({ killers: [killer], hung: true });
    expect(await runner.kill(path, 'wrong', all, 9)).toEqual({ killers: [1, 2, 3] });
  });
});
