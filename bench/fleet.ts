import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const run = fileURLToPath(new URL('fleet/run.mjs', import.meta.url));
const build = fileURLToPath(new URL('../scripts/build.mjs', import.meta.url));
const podsPerNode = 30;

interface Phase {
  phase: string;
  cpu: number;
  wall: number;
  rssMiB: number;
  heapMiB: number;
}

/**
 * Fleets of nodes of the built packages with long periods, 30 pods each, in one process and in virtual time: their start, an idle hour, and
 * the heap over a day (an hour for the largest). NODEAGENT_BENCH_NODES picks other sizes.
 */
export async function benchFleet(report: (line: string) => void): Promise<void> {
  const sizes = (process.env.NODEAGENT_BENCH_NODES ?? '10,100,1000').split(',').map(Number);
  execFileSync(process.execPath, [build, '--no-types', 'test-cluster'], { stdio: 'ignore' });
  for (const nodes of sizes) {
    const phases = measure(nodes, nodes > 100 ? 1 : 24);
    const name = `fleet of ${nodes} nodes, ${nodes * podsPerNode} pods`;
    const start = phases.filter(({ phase }) => phase === 'ready' || phase === 'running');
    report(`${name}, start, CPU: ${sum(start, 'cpu').toFixed(1)} s (${sum(start, 'wall').toFixed(1)} s of real time)`);
    for (const { phase, cpu, wall, rssMiB, heapMiB } of phases.filter(({ phase }) => / h$/.test(phase))) {
      if (phase === '1 h') report(`${name}, idle hour, CPU: ${cpu.toFixed(2)} s (${wall.toFixed(1)} s of real time)`);
      report(`${name}, heap after ${phase}: ${heapMiB.toFixed(0)} MiB (resident ${rssMiB.toFixed(0)} MiB)`);
    }
  }
}

function measure(nodes: number, hours: number): Phase[] {
  const flags = ['--expose-gc', '--max-old-space-size=4096'];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, run, String(nodes), String(podsPerNode), String(hours)], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`a fleet of ${nodes} nodes ended with ${status}: ${stderr}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Phase);
}

const sum = (phases: readonly Phase[], of: 'cpu' | 'wall') => phases.reduce((total, phase) => total + phase[of], 0);
