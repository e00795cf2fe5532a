import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** Runs rounds without a pause; reports each time that it has succeeded `goal` times, and the sum at its end. */
const loop = `
let successes = 0;
let isReported = false;
let isStopped = false;
process.stdin.on('data', () => { isStopped = true; });
function run() {
  for (let each = 0; each < 50; each++) if (round()) successes++;
  if (successes >= goal && !isReported) { isReported = true; console.log('reached'); }
  if (isStopped) process.stdout.write(successes + '\\n', () => process.exit());
  else setImmediate(run);
}
console.log('ready');
run();
`;

export interface Attacker {
  /** Whether the attack has succeeded as often as the goal requires. */
  readonly hasReached: boolean;
  /** Ends the process; returns how often the attack succeeded. */
  stop(): Promise<number>;
}

/**
 * Starts a process that attacks as one in a container does: while the agent works, at the speed of its system calls.
 * @param script - defines `round()`, which attacks once and returns whether it succeeded; `args` are its arguments, `fs` is node:fs
 */
export async function startAttacker(script: string, args: readonly string[], goal = Number.POSITIVE_INFINITY): Promise<Attacker> {
  const head = `const fs = require('node:fs');\nconst goal = ${goal};\nconst args = process.argv.slice(1);\n`;
  const child = spawn(process.execPath, ['-e', head + script + loop, '--', ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout);
  let hasReached = false;
  lines.on('line', (line) => {
    hasReached ||= line === 'reached';
  });
  await once(lines, 'line');
  return {
    get hasReached() {
      return hasReached;
    },
    async stop() {
      const sum = new Promise<number>((resolve) => {
        lines.on('line', (line) => /^\d+$/.test(line) && resolve(Number(line)));
      });
      child.stdin.write('stop');
      return sum;
    },
  };
}
