import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/**
 * The attacker, as a process in a container: fills the folder and exchanges it for a link to the target, without a pause. `restore` puts the link in
 * the folder's place by one call, so that there is always something to open.
 */
const script = `
const fs = require('node:fs');
const [folder, target] = process.argv.slice(1);
const aside = folder + '.aside';
let swaps = 0;
let stopped = false;
process.stdin.on('data', () => { stopped = true; });
function fill() {
  fs.mkdirSync(folder + '/inner', { recursive: true });
  for (let each = 0; each < 20; each++) fs.writeFileSync(folder + '/inner/file-' + each, '');
}
function swap() {
  fs.renameSync(folder, aside);
  fs.symlinkSync(target, folder);
  swaps++;
  fs.unlinkSync(folder);
  fs.renameSync(aside, folder);
}
function round() {
  for (let each = 0; each < 50; each++) {
    try {
      swap();
    } catch {
      try { fs.rmSync(aside, { recursive: true, force: true }); fs.unlinkSync(folder); } catch {}
      try { fill(); } catch {}
    }
  }
  if (stopped) process.stdout.write(swaps + '\\n', () => process.exit());
  else setImmediate(round);
}
fill();
console.log('ready');
round();
`;

export interface Swapper {
  /** Ends the attacker; returns how often it put the link in the place of the folder. */
  stop(): Promise<number>;
}

/** Starts a process that exchanges the folder for a link to the target again and again. */
export async function startSwapper(folder: string, target: string): Promise<Swapper> {
  const child: ChildProcess = spawn(process.execPath, ['-e', script, folder, target], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout as NonNullable<typeof child.stdout>);
  await once(lines, 'line');
  return {
    async stop() {
      const last = once(lines, 'line');
      child.stdin?.write('stop');
      const [swaps] = await last;
      return Number(swaps);
    },
  };
}
