// The process that checks inputs; main.ts starts it with the same arguments, and with counters in the packages for guided fuzzing.
import { ftruncateSync, openSync, writeSync } from 'node:fs';
import { fuzzOptions } from './arguments.js';
import { casesOf } from './cases.js';
import type { Json } from './generate/json.js';
import { createEdges } from './guided/edges.js';
import { runGuided } from './guided/run-guided.js';
import { runTarget, type TargetResult, watchStrayErrors } from './run-target.js';
import { targets } from './targets.js';

/** A message to main.ts. */
export type Progress = TargetResult | { started: string };

/** Checks inputs of the targets. Writes each to the file first, for the case that it ends the process. */
async function checkInputs(file: string): Promise<void> {
  const options = fuzzOptions(process.argv.slice(2), targets);
  const send = (progress: Progress) => process.send?.(progress);
  watchStrayErrors();
  const current = openSync(file, 'w');
  const before = (input: Json) => {
    ftruncateSync(current);
    writeSync(current, JSON.stringify(input), 0);
  };
  for (const target of targets.filter(({ name }) => options.targets.includes(name))) {
    send({ started: target.name });
    const { content } = target;
    const amount = { ...options, seed: options.seed ?? 0, cases: casesOf(target.name) };
    const edges = createEdges();
    if (!options.guided) send(await runTarget(target, amount, before, edges));
    else if (edges && content) send(await runGuided({ ...target, content }, amount, edges, before));
    else throw new Error(`${target.name} cannot be guided: ${edges ? 'it has no content' : 'the packages have no counters'}`);
  }
  process.disconnect();
}

checkInputs(process.env.FUZZ_INPUT_FILE ?? '').catch((error) => {
  console.error(error);
  process.exit(2);
});
