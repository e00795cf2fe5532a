/** The process that runs mutants: it handles one request of `createMutantRunner` at a time. */
import { openSync, readFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import vm from 'node:vm';
import { Worker } from 'node:worker_threads';
import type { Adapter } from '../adapter.js';
import type { Failure } from '../replay.js';
import { type Case, readLines, subjectOf } from '../vectors.js';
import { createGuardedRequire } from './guarded-require.js';
import type { Answer, Request } from './mutant-runner.js';

const [bundle = '', folder = '', position = ''] = process.argv.slice(2);

/** Maximum number of times that one case may reach a mutant; stops endless loops. */
const maxHits = 100_000;
/** Maximum processor time of one case; the slowest uses some 50 ms. */
const maxCpuMs = 1_500;
/** How long a promise may stay pending while an operation may still settle it. */
const maxWaitMs = 3_000;
/** Poll interval for a pending case. */
const periodMs = 50;

/** The global state of instrumented code. */
const switches = { activeMutant: 'none', currentTestId: '', hitCount: 0, hitLimit: maxHits, mutantCoverage: { static: {}, perTest: {} } };
Object.assign(globalThis, { __stryker__: switches });
const perCase: Record<string, Record<string, number>> = switches.mutantCoverage.perTest;

// Rejected promises that a mutant leaves behind are no failure of a case.
process.on('disconnect', () => process.exit());
process.on('unhandledRejection', () => {});
process.on('uncaughtException', () => {});
process.kill = () => {
  throw new Error('a mutant may not exit a process');
};

interface Loaded {
  adapters: Adapter[];
  replayCase(adapter: Adapter, recorded: Case, dir: string): Promise<Failure | undefined>;
}

const code = readFileSync(bundle, 'utf8');
const guardedRequire = createGuardedRequire(folder, bundle);
const compile = (text: string) => new vm.Script(`(function (require, module, exports, __filename) {${text}\n})`).runInThisContext();
const scripts = {
  counting: compile(code),
  // Only the first replay records the mutants that each case reaches.
  plain: compile(code.replace(/stryCov_9fa48\d*\((?:"\d+"(?:, )?)+\)/g, '0')),
};

function load(script: keyof typeof scripts): Loaded {
  const module = { exports: {} };
  scripts[script](guardedRequire, module, module.exports, bundle);
  return module.exports as Loaded;
}

const counting = load('counting');
const atLoad = new Set(Object.keys(switches.mutantCoverage.static));
const plain = load('plain');

let opened: { path: string; cases: Case[] } | undefined;

function casesOf(path: string): Case[] {
  if (opened?.path !== path) opened = { path, cases: readLines(path).map((line) => JSON.parse(line)) };
  return opened.cases;
}

async function replay({ adapters, replayCase }: Loaded, path: string, index: number): Promise<boolean> {
  const adapter = adapters.find(({ name }) => name === subjectOf(path));
  const recorded = casesOf(path)[index];
  if (adapter === undefined || recorded === undefined) throw new Error(`no adapter or case ${index} for ${path}`);
  Atomics.add(counter, 0, 1);
  // An answer of a wrong shape may also break its comparison.
  const agrees = replayCase(adapter, recorded, dirname(path)).then(
    (failure) => failure === undefined,
    () => false,
  );
  return settled(agrees);
}

/** Resolves to false if no pending operation can settle the promise. Exits the process if a mutant has left an operation that continues. */
async function settled(promise: Promise<boolean>): Promise<boolean> {
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const stuck = new Promise<boolean>((resolve) => {
    timer = setInterval(() => {
      if (process.getActiveResourcesInfo().filter(isOfCase).length <= 1) resolve(false);
      else if (performance.now() - started > maxWaitMs) process.exit(1);
    }, periodMs);
  });
  try {
    return await Promise.race([promise, stuck]);
  } finally {
    clearInterval(timer);
  }
}

/** The channel to the parent and the watchdog are permanent; the timer of `settled` is one of the others. */
const isOfCase = (resource: string) => resource !== 'PipeWrap' && resource !== 'MessagePort';

const counter = new Int32Array(new SharedArrayBuffer(4));
new Worker(new URL('./watchdog.mjs', import.meta.url), { workerData: { counter, maxCpuMs, periodMs }, execArgv: [] }).unref();
const positionFile = openSync(position, 'w');

const handlers: { [K in Request['kind']]: (request: Extract<Request, { kind: K }>) => Promise<Answer<K>> } = {
  async reach({ path }) {
    const reached: string[][] = [];
    const differing: string[] = [];
    for (const [index, { id }] of casesOf(path).entries()) {
      switches.currentTestId = id;
      if (!(await replay(counting, path, index))) differing.push(id);
      reached.push(Object.keys(perCase[id] ?? {}));
      delete perCase[id];
    }
    return { reached, atLoad: [...atLoad], differing };
  },

  async kill({ path, mutant, cases, enough }) {
    const killers: number[] = [];
    switches.activeMutant = mutant;
    switches.hitCount = 0;
    let loaded = plain;
    try {
      if (atLoad.has(mutant)) loaded = load('plain');
    } catch {
      return { killers: cases.slice(0, enough) };
    }
    for (const [place, index] of cases.entries()) {
      writeSync(positionFile, `${place} `, 0);
      switches.hitCount = 0;
      if (!(await replay(loaded, path, index))) killers.push(index);
      if (killers.length >= enough) break;
    }
    switches.activeMutant = 'none';
    return { killers };
  },
};

process.on('message', async (request: Request) => {
  const handle = handlers[request.kind] as (request: Request) => Promise<Answer>;
  process.send?.(await handle(request));
});
