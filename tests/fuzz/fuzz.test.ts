import { decodeManifest } from '@nodeagent/pod-sources';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentsOf, fuzzOptions } from './arguments.js';
import { casesOf } from './cases.js';
import { manifestExamples } from './examples/manifests.js';
import { chunksOf } from './generate/bytes.js';
import { type Json, jsonText, mutatedJson } from './generate/json.js';
import { peerSending } from './generate/peer.js';
import { promise } from './promises.js';
import { runTarget } from './run-target.js';
import { fuzzTarget } from './target.js';
import { targets } from './targets.js';

const below = (limit: number) =>
  fuzzTarget({
    name: 'numbers',
    promise: `numbers are below ${limit}`,
    runs: 500,
    inputs: fc.nat(10_000),
    check: (value) => promise(value < limit, `${value} is not below ${limit}`),
  });
const amount = { cases: [], seed: 1, runs: undefined, seconds: undefined };

describe('runTarget', () => {
  it('finds an input that breaks the promise, and makes it as short as possible', async () => {
    const { findings } = await runTarget(below(5_000), amount);
    expect(findings).toMatchObject([{ input: 5_000, error: expect.stringContaining('5000 is not below 5000') }]);
    expect((await runTarget(below(20_000), amount)).findings).toEqual([]);
  });

  it('gives the same inputs for the same seed', async () => {
    const inputsOf = async (seed: number) => {
      const inputs: unknown[] = [];
      await runTarget(below(20_000), { ...amount, seed, runs: 20 }, (input) => inputs.push(input));
      return inputs;
    };
    expect(await inputsOf(7)).toEqual(await inputsOf(7));
    expect(await inputsOf(7)).not.toEqual(await inputsOf(8));
  });

  it('replays the kept cases first', async () => {
    const kept = { name: 'large.json', found: 'too large', input: 9_999 };
    const { findings, cases, runs } = await runTarget(below(9_000), { ...amount, runs: 0, cases: [kept] });
    expect({ cases, runs }).toEqual({ cases: 1, runs: 0 });
    expect(findings).toMatchObject([{ keptCase: 'large.json', input: 9_999 }]);
  });

  it('finds an input that takes too much CPU', async () => {
    const slow = { ...below(20_000), inputs: fc.constant(1), check: () => spin(2_100) };
    expect((await runTarget(slow, { ...amount, runs: 1 })).findings).toMatchObject([{ error: expect.stringContaining('ms of CPU') }]);
  });
});

function spin(cpuMs: number): void {
  const started = process.cpuUsage();
  while (process.cpuUsage(started).user < cpuMs * 1_000);
}

describe('the inputs', () => {
  it('start from manifests that are accepted', async () => {
    for (const example of manifestExamples) {
      const documents = await decodeManifest(jsonText(example), { source: 'http', url: 'u', nodeName: 'n' });
      expect(documents.map(({ error }) => error?.message)).toEqual(documents.map(() => undefined));
    }
  });

  it('are JSON, so that each can be kept', () => {
    for (const { inputs } of targets) {
      for (const input of fc.sample(inputs, { seed: 1, numRuns: 20 })) expect(JSON.parse(JSON.stringify(input))).toEqual(input);
    }
  });

  it('are examples with edits', () => {
    const values = fc.sample(mutatedJson([{ a: [1, 2], b: 'c' }]), { seed: 1, numRuns: 200 });
    expect(new Set(values.map((value) => JSON.stringify(value))).size).toBeGreaterThan(100);
    expect(values).toContainEqual({ a: [1, 2], b: 'c' });
  });

  it('nest as deeply as their text states', () => {
    expect(jsonText(['3 nested lists', '2 nested maps'])).toBe('[[[[1]]],{"a":{"a":1}}]');
  });
});

describe('peerSending', () => {
  it('delivers each chunk separately, and receives the replies', async () => {
    const { socket, replies } = peerSending(chunksOf(Buffer.from('abcdefg'), [1, 3]));
    const received: string[] = [];
    for await (const chunk of socket) {
      received.push(String(chunk));
      socket.write('.');
    }
    expect(received).toEqual(['a', 'bcd', 'e', 'fg']);
    expect(replies().toString()).toBe('....');
  });
});

describe('the command line', () => {
  const content = { read: () => Buffer.alloc(0), write: (input: Json) => input };
  const known = [{ name: 'a' }, { name: 'b', content }];

  it('is read, and passed on to the process that checks inputs', () => {
    const options = fuzzOptions(['--target', 'a', '--seed', '7', '--runs', '3'], known);
    expect(options).toMatchObject({ targets: ['a'], seed: 7, runs: 3, seconds: undefined });
    expect(fuzzOptions(argumentsOf(options), known)).toEqual(options);
    const guided = fuzzOptions(['--guided'], known);
    expect(guided).toMatchObject({ targets: ['b'], guided: true, edges: true });
    expect(fuzzOptions(argumentsOf(guided), known)).toEqual(guided);
    expect(fuzzOptions([], known).targets).toEqual(['a', 'b']);
  });

  it.each([
    [['--target', 'x'], '--target: there is no x; there are a, b'],
    [['--runs', '1', '--seconds', '1'], '--seconds: not together with --runs'],
    [['--seed=-1'], '--seed: must be a whole number from 0'],
    [['--guided', '--target', 'a'], '--guided: a takes neither bytes nor a text; these do: b'],
    [['--seconds', '0'], '--seconds: must be a whole number from 1'],
  ])('refuses %j', (argv, message) => {
    expect(() => fuzzOptions(argv, known)).toThrow(message);
  });

  it('has a target for each folder of cases, and names that differ', () => {
    const names = targets.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(casesOf('manifests').length).toBeGreaterThan(0);
  });
});
