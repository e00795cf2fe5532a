import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { v8FlagsOf } from '../packages/cli/src/v8-flags.js';
import { layers } from './cri-call/layers.js';

const folder = fileURLToPath(new URL('./cri-call/', import.meta.url));

const agentFlags = v8FlagsOf('run', process.versions.node).atStart;

interface Cost {
  cpu: number;
  wall: number;
}

/**
 * What one unary call of the CRI costs its client, layer by layer: CPU (user and system) and real time. Each case runs in a new process with
 * the agent's V8 flags; the server is another process. "First" is the mean of calls 2 to 601, "warm" that of calls 2,602 to 4,601.
 */
export async function benchCriCall(report: (line: string) => void): Promise<void> {
  const temp = mkdtempSync(join(tmpdir(), 'cri-call-'));
  const socket = join(temp, 'cri.sock');
  const server = spawn(process.execPath, ['--import', 'tsx', join(folder, 'serve.ts'), socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(server.stdout, 'data');
    for (const method of ['version', 'listContainers']) {
      for (const concurrency of [1, 20]) {
        for (const layer of Object.keys(layers)) {
          const { first, warm } = await measure([layer, socket, method, `${concurrency}`]);
          const cost = ({ cpu, wall }: Cost) => `${cpu.toFixed(0)} us CPU, ${wall.toFixed(0)} us real`;
          report(`cri-call ${method}, ${concurrency} at once, ${layer}: first ${cost(first)}; warm ${cost(warm)}`);
        }
      }
    }
  } finally {
    server.kill();
    await once(server, 'exit');
    rmSync(temp, { recursive: true });
  }
}

async function measure(args: string[]): Promise<{ first: Cost; warm: Cost }> {
  const { stdout } = await promisify(execFile)(process.execPath, [...agentFlags, '--import', 'tsx', join(folder, 'measure.ts'), ...args]);
  return JSON.parse(stdout);
}
