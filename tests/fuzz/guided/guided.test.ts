import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '@nodeagent/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { recordedRun } from '../../support/reliability-runs.js';
import { base64Field, fromBase64, toBase64 } from '../generate/bytes.js';
import { promise } from '../promises.js';
import { fuzzTarget } from '../target.js';
import { targets } from '../targets.js';
import { createEdges, type InstrumentedCode } from './edges.js';
import { instrument } from './instrument.js';
import { mutate, piecesOf } from './mutate.js';
import { readResults, resultsTable } from './results.js';
import { runGuided } from './run-guided.js';

/** A reader that reaches its error behind four conditions, one after the other: random bytes never get there. */
const source = `
export function read(bytes: Buffer): string {
  if (bytes[0] !== 0x50) return 'no frame';
  if (bytes[1] !== 0x8f) return 'another version';
  let text = '';
  for (const byte of bytes.subarray(2)) text += String.fromCharCode(byte);
  switch (text.slice(0, 4)) {
    case 'open':
      return text.length > 6 ? 'broken' : 'opened';
    default:
      return text === '' ? 'empty' : 'unknown';
  }
}
`;

/** Runs the source with counters, as the bundle does. */
async function instrumented(text: string) {
  const { code, edges, literals } = instrument(text, 'read.ts', 0);
  const fuzzCode: InstrumentedCode = { edges, files: [{ name: 'read.ts', firstEdge: 0, literals }] };
  Object.assign(globalThis, { fuzzCode, fuzzEdges: new Uint8ClampedArray(edges) });
  const { read } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const counters = createEdges();
  Object.assign(globalThis, { fuzzCode: undefined });
  if (counters === undefined) throw new Error('there are no counters');
  return { read: read as (bytes: Buffer) => string, counters };
}

describe('instrument', () => {
  it('changes no result, and counts both sides of conditions, loops, cases and short circuits', async () => {
    const { read, counters } = await instrumented(source);
    const reached = (bytes: number[]) => {
      counters.reset();
      const result = read(Buffer.from(bytes));
      return [result, counters.collect(), counters.reached];
    };
    expect(reached([])).toEqual(['no frame', true, 2]);
    expect(reached([1])).toEqual(['no frame', false, 2]);
    // The other side of the first condition, and the error of the second one.
    expect(reached([0x50, 0])).toEqual(['another version', true, 4]);
    expect(reached([0x50, 0x8f])).toEqual(['empty', true, 7]);
    // The loop.
    expect(reached([0x50, 0x8f, 0x61])).toEqual(['unknown', true, 9]);
    expect(reached([0x50, 0x8f, ...Buffer.from('open')])).toEqual(['opened', true, 11]);
    expect(reached([0x50, 0x8f, ...Buffer.from('opened')])).toEqual(['opened', false, 11]);
    expect(counters.literals()).toEqual(expect.arrayContaining([0x8f, 'open']));
  });

  it('keeps the values of expressions', async () => {
    const { read } = await instrumented(
      `export const read = (bytes) => [bytes[0] && 'a', bytes[9] ?? 'b', bytes.length || 'c', (() => ({ d: 1 }))()].join() as string;`,
    );
    expect(read(Buffer.from([1]))).toBe('a,b,1,[object Object]');
  });
});

describe('runGuided', () => {
  const targetOf = (read: (bytes: Buffer) => string) =>
    fuzzTarget({
      name: 'reader',
      promise: 'it never breaks',
      runs: 0,
      inputs: fc.record({ bytes: fc.uint8Array({ maxLength: 8 }).map(toBase64), note: fc.constant('kept') }),
      content: base64Field('bytes'),
      check: ({ bytes }) => promise(read(fromBase64(bytes)) !== 'broken', 'it breaks'),
    });
  const amount = { cases: [], runs: 60_000, seconds: undefined };

  it('finds an input behind several conditions, and makes it as short as possible', async () => {
    const { read, counters } = await instrumented(source);
    const target = targetOf(read);
    if (target.content === undefined) throw new Error('the target has no content');
    const { findings, corpus } = await runGuided({ ...target, content: target.content }, { ...amount, seed: 1 }, counters);
    expect(findings).toMatchObject([{ error: expect.stringContaining('it breaks'), input: { note: 'kept' } }]);
    const [input] = findings.map(({ input }) => fromBase64((input as { bytes: string }).bytes));
    expect(input?.subarray(0, 6).toString('latin1')).toBe('P\x8fopen');
    expect(input).toHaveLength(9);
    expect(corpus).toBeGreaterThan(3);
  });

  it('replays the kept cases first, and stops at one that fails', async () => {
    const { read, counters } = await instrumented(source);
    const target = targetOf(read);
    if (target.content === undefined) throw new Error('the target has no content');
    const input = { bytes: toBase64(Buffer.from('P\x8fopenabc', 'latin1')), note: '' };
    const cases = [{ name: 'open.json', found: 'it breaks', input }];
    const result = await runGuided({ ...target, content: target.content }, { ...amount, seed: 1, cases }, counters);
    expect(result).toMatchObject({ cases: 1, runs: 0, findings: [{ keptCase: 'open.json' }] });
  });
});

describe('mutate', () => {
  const mutants = (seed: number) => {
    const material = { random: seededRandom(seed), pieces: piecesOf(['key', 0x1234]), other: Buffer.from('other') };
    return Array.from({ length: 200 }, () => mutate(Buffer.from('0123456789'), material).toString('latin1'));
  };

  it('gives the same bytes for the same seed, and many different ones', () => {
    expect(mutants(1)).toEqual(mutants(1));
    expect(new Set(mutants(1)).size).toBeGreaterThan(150);
    expect(mutants(1).join()).toContain('key');
    expect(mutants(1).join()).toContain('\x12\x34');
  });

  it('changes bytes of any length, but lets none grow without a limit', () => {
    const material = { random: seededRandom(1), pieces: [], other: Buffer.alloc(0) };
    let bytes: Buffer = Buffer.alloc(0);
    for (let left = 3_000; left > 0; left--) bytes = mutate(bytes, { ...material, other: Buffer.alloc(9_000) });
    expect(bytes.length).toBeLessThanOrEqual(16_384);
    expect(mutate(Buffer.alloc(0), material)).toEqual(Buffer.alloc(0));
  });
});

describe('the targets of guided fuzzing', () => {
  const guided = targets.flatMap(({ name, content }) => (content === undefined ? [] : [name]));

  it('run for an hour each in the nightly workflow', () => {
    const workflow = parse(readFileSync(fileURLToPath(new URL('../../../.github/workflows/nightly.yml', import.meta.url)), 'utf8'));
    expect(workflow.jobs['guided-fuzz'].strategy.matrix.target).toEqual(guided);
  });

  it('are those with recorded runs', () => {
    expect(Object.keys(readResults()).sort()).toEqual(guided.toSorted());
  });

  it('read the content that they write, whatever the other parameters', () => {
    for (const { inputs, content, name } of targets) {
      if (content === undefined) continue;
      for (const input of fc.sample(inputs, { seed: 1, numRuns: 20 })) {
        expect(content.read(content.write(input, Buffer.from('content'))).toString(), name).toBe('content');
      }
    }
  });
});

describe('the recorded runs', () => {
  const run = { inputs: 2_000, cpuSeconds: 4, edges: 100, date: '2026-01-31' };

  it('are a row for each target with both kinds', () => {
    const table = resultsTable({ a: { random: run, guided: { ...run, edges: 125 } }, b: { random: run } });
    expect(table.split('\n').slice(2)).toEqual(['| `a` | 2,000 | 4 | 100 | 2,000 | 4 | 125 | 25.0 % |']);
  });

  it('are in docs/reliability-runs.md', () => {
    expect(recordedRun('fuzz --guided')).toBe(resultsTable(readResults()));
  });
});
