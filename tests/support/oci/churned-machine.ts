import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { listIfThere, readIfThere } from '../if-there.js';
import type { ChurnSettings, Listed } from './churning-agent.js';

/** A running churning-agent. */
export interface ChurningAgent {
  /** What it listed at its start, after its recovery. */
  readonly started: Listed;
  churn(): void;
  /** Ends the churn, and resolves to what the agent lists then. */
  pause(): Promise<Listed>;
  removeAll(): Promise<Listed>;
  kill(): Promise<void>;
  /** Resolves once it has stopped in order. */
  end(): Promise<void>;
}

/** Bundles the agent, because Node starts a bundle in a fraction of the time. */
export async function bundleAgent(folder: string): Promise<string> {
  const outfile = join(folder, 'agent.mjs');
  const entryPoints = [fileURLToPath(new URL('churning-agent.ts', import.meta.url))];
  const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
  await build({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', target: 'node20', logLevel: 'error', banner });
  return outfile;
}

/** Starts the agent and resolves once it has recovered. */
export async function startAgent(program: string, settings: ChurnSettings): Promise<ChurningAgent> {
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<Listed> => {
    const { value, done } = await answers.next();
    if (done) throw new Error(`the agent has ended with ${child.exitCode ?? child.signalCode}`);
    return JSON.parse(value);
  };
  const ask = (command: string) => {
    child.stdin.write(`${command}\n`);
    return answer();
  };
  child.stdin.on('error', () => {});
  return {
    started: await answer(),
    churn: () => child.stdin.write('churn\n'),
    pause: () => ask('pause'),
    removeAll: () => ask('remove'),
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async end() {
      child.stdin.end();
      await exited;
    },
  };
}

/** Sends a signal to a random process of these: conmon, or the OCI runtime. Resolves to false if there is none. */
export function killOne(kind: 'monitor' | 'runtime', { work }: Pick<ChurnSettings, 'work'>, random: () => number): boolean {
  const root = `--root=${join(work, 'root/runtime')}`;
  const found = listIfThere('/proc').filter((pid) => {
    const args = readIfThere(`/proc/${pid}/cmdline`).split('\0');
    return args.includes(root) && args.includes('--cid') === (kind === 'monitor');
  });
  const pid = Number(found[Math.floor(random() * found.length)]);
  if (Number.isNaN(pid)) return false;
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
}
