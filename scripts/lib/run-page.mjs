import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { commonJsOf, esModuleOf } from './example-formats.mjs';
import { capture } from './parallel.mjs';

const timeLimitMs = 120_000;

/**
 * Runs the steps of a page (see stepsOf) in a reader's folder, in order: programs by import and by require, commands by sh, each block in the
 * folder where the previous one ended. `manifests` receives those of the page. Returns the problems; commands in the background are stopped.
 */
export async function runPage({ title, steps, folder, env = process.env, manifests = [] }) {
  const problems = [];
  const background = [];
  let cwd = folder;
  for (const [i, step] of steps.entries()) {
    const place = `${title}, block ${i + 1}`;
    if (step.kind === 'file') writeIn(cwd, step.path, step.text);
    else if (step.kind === 'manifest') manifests.push({ title: place, text: step.text });
    else if (step.kind === 'program') problems.push(...(await runProgram(place, step, { cwd, env, name: `block-${i + 1}` })));
    else if (step.kind === 'commands' && step.ready === undefined) {
      const ran = await runCommands(place, step, { cwd, env, file: join(folder, `.block-${i + 1}`) });
      if (ran.problem !== undefined) problems.push(ran.problem);
      cwd = ran.cwd ?? cwd;
    } else if (step.kind === 'commands') {
      const started = startCommand(step, { cwd, env });
      background.push(started);
      const failure = await started.isReady;
      if (failure !== undefined) problems.push(`${place} ${failure}`);
    }
  }
  await Promise.all(background.map(({ stop }) => stop()));
  return problems;
}

function writeIn(folder, path, text) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function runProgram(place, { code, output = '' }, { cwd, env, name }) {
  const syntaxError = await esModuleOf(code).then(
    () => undefined,
    (error) => error.message,
  );
  if (syntaxError !== undefined) return [`${place} is not a program: ${syntaxError}`];
  const ways = { import: [`${name}.mjs`, await esModuleOf(code)], require: [`${name}.cjs`, await commonJsOf(code)] };
  const problems = [];
  for (const [way, [file, text]] of Object.entries(ways)) {
    writeFileSync(join(cwd, file), text);
    const problem = problemOfRun(
      `${place}, by ${way},`,
      output,
      await capture(process.execPath, [file], { cwd, env, timeoutMs: timeLimitMs }),
    );
    if (problem !== undefined) problems.push(problem);
  }
  return problems;
}

/** Runs commands by sh, which stops at the first that fails. `cwd` is the folder in which they ended; `file` receives it. */
async function runCommands(place, { script, output }, { cwd, env, file }) {
  const run = await capture('sh', ['-e', '-c', `${script}\npwd > "$0"`, file], { cwd, env, timeoutMs: timeLimitMs });
  const problem = problemOfRun(place, output, run);
  return { problem, cwd: run.status === 0 ? readFileSync(file, 'utf8').trimEnd() : undefined };
}

/** What is wrong with a run; its output is compared if the page shows it. */
function problemOfRun(place, expected, { status, stdout, stderr }) {
  if (status === null) return `${place} did not end within ${timeLimitMs / 1_000} s`;
  if (status !== 0) return `${place} ended with ${status}\n${stdout}${stderr.trimEnd()}`;
  if (expected === undefined || stdout.trimEnd() === expected.trimEnd()) return undefined;
  return `${place} prints\n${stdout.trimEnd()}\nbut the page shows\n${expected.trimEnd()}`;
}

/** Starts commands in their own process group. `isReady` resolves when they print `ready`, or with the failure; `stop` ends the group. */
function startCommand({ script, ready }, { cwd, env }) {
  const child = spawn('sh', ['-e', '-c', script], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise((resolve) => child.on('close', resolve));
  let printed = '';
  const isReady = new Promise((resolve) => {
    const timer = setTimeout(() => resolve(`did not print "${ready}" within ${timeLimitMs / 1_000} s\n${printed}`), timeLimitMs);
    const settle = (failure) => {
      clearTimeout(timer);
      resolve(failure);
    };
    const read = (text) => {
      printed += text;
      if (printed.includes(ready)) settle(undefined);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    exited.then((status) => settle(`ended with ${status} before it printed "${ready}"\n${printed}`));
  });
  const signal = (name) => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid, name);
  };
  return {
    isReady,
    async stop() {
      signal('SIGTERM');
      const timer = setTimeout(() => signal('SIGKILL'), timeLimitMs);
      await exited;
      clearTimeout(timer);
    },
  };
}
