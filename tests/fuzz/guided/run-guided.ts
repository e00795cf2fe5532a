import { seededRandom } from '@nodeagent/testing';
import fc from 'fast-check';
import type { Json } from '../generate/json.js';
import { type Amount, checkBounded, cpuSince, describe, type Finding, replay, type TargetResult } from '../run-target.js';
import type { Content, FuzzTarget } from '../target.js';
import type { Edges } from './edges.js';
import { mutate, piecesOf } from './mutate.js';

/** An input that reached what no earlier one did. */
interface Kept {
  input: Json;
  content: Buffer;
  /** How often it was changed to get another input. */
  uses: number;
}

/** Random inputs before the first change; and later their share, so that what their generator finds is found too. */
const samples = { first: 300, share: 0.1 };
const generated = 1_000;
/** The literals of newly reached files become pieces after so many inputs. */
const piecesPeriod = 5_000;
const maxShrinkings = 2_000;

/**
 * Replays the cases, then changes the content of inputs until one fails. An input that reaches a new place of the code is kept, and changed in
 * turn.
 */
export async function runGuided(
  target: FuzzTarget & { content: Content<Json> },
  { cases, seed, runs = Number.MAX_SAFE_INTEGER, seconds = Number.POSITIVE_INFINITY }: Amount,
  edges: Edges,
  before: (input: Json) => void = () => {},
): Promise<TargetResult> {
  const started = process.cpuUsage();
  const random = seededRandom(seed);
  const corpus: Kept[] = [];
  let pieces: Buffer[] = [];
  let fresh: Json[] = [];
  let inputs = 0;

  /** The error of the input. */
  async function failureOf(input: Json): Promise<unknown> {
    before(input);
    edges.reset();
    inputs++;
    try {
      await checkBounded(target, input);
    } catch (error) {
      return error;
    }
    if (edges.collect()) corpus.push({ input, content: target.content.read(input), uses: 0 });
    return undefined;
  }

  function sample(): Json {
    if (fresh.length === 0) fresh = fc.sample(target.inputs, { seed: Math.floor(random() * 2 ** 31), numRuns: generated });
    return fresh.pop() as Json;
  }

  /** Of three kept inputs the one that was used least: new ones are used first, all are used in the end. */
  function pick(): Kept {
    const drawn = Array.from({ length: 3 }, () => corpus[Math.floor(random() * corpus.length)] as Kept);
    return drawn.reduce((best, each) => (each.uses < best.uses ? each : best));
  }

  function next(): Json {
    if (corpus.length === 0 || inputs < samples.first || random() < samples.share) return sample();
    if (inputs % piecesPeriod === 0 || pieces.length === 0) pieces = piecesOf(edges.literals());
    const parent = pick();
    parent.uses++;
    // Mostly with the other parameters of the parent, such as the sizes of its chunks.
    const base = random() < 0.8 ? parent.input : sample();
    return target.content.write(base, mutate(parent.content, { random, pieces, other: pick().content }));
  }

  const findings: Finding[] = [];
  const replayed = await replay(cases, failureOf, findings);
  const until = performance.now() + seconds * 1_000;
  while (findings.length === 0 && inputs < runs && performance.now() < until) {
    const input = next();
    const error = await failureOf(input);
    if (error !== undefined) findings.push(await shrunk(target, input, error, failureOf));
  }
  return {
    ...{ target: target.name, cases: replayed, runs: inputs - replayed, cpuMs: cpuSince(started), findings },
    ...{ edges: edges.reached, corpus: corpus.length },
  };
}

/** Removes parts of the content, shorter and shorter ones, as long as the input fails. */
async function shrunk(
  { content }: { content: Content<Json> },
  input: Json,
  error: unknown,
  failureOf: (input: Json) => Promise<unknown>,
): Promise<Finding> {
  let [best, failure, left] = [input, error, maxShrinkings];
  for (let size = content.read(best).length; size >= 1; size = Math.floor(size / 2)) {
    for (let start = 0; start < content.read(best).length && left > 0; left--) {
      const bytes = content.read(best);
      const shorter = content.write(best, Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + size)]));
      const other = await failureOf(shorter);
      if (other === undefined) start += size;
      else [best, failure] = [shorter, other];
    }
  }
  return { input: best, error: describe(failure) };
}
