import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { provideContainerd } from '../tests/support/containerd/provide-containerd.js';
import { type BenchNode, startBenchNode, type Took } from './beside-kubelet/bench-node.js';
import { type CpuProfile, flameGraph } from './pod-starts/flame-graph.js';

const rounds = 6;
const pods = 60;

/**
 * The built `nodeagent run` on containerd: CPU to start and to stop 60 pods, round by round. With `NODEAGENT_FLAME_GRAPH=FILE.svg` it draws where
 * the CPU time of the process went, and keeps the profile beside it.
 */
export async function benchPodStarts(report: (line: string) => void): Promise<void> {
  const binaries = provideContainerd(false).found.at(-1);
  if (process.getuid?.() !== 0 || binaries === undefined) {
    report('starts of pods on containerd: skipped, because it needs root and containerd');
    return;
  }
  execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.mjs', import.meta.url)), '--no-types', 'cli'], {
    stdio: 'ignore',
  });
  const graph = process.env.NODEAGENT_FLAME_GRAPH;
  const dir = mkdtempSync(join(tmpdir(), 'nodeagent-profile-'));
  try {
    const node = await startBenchNode({ binaries, nodeArgs: graph ? ['--cpu-prof', '--cpu-prof-dir', dir] : [] });
    try {
      await runRounds(node, report);
    } finally {
      await node.stop();
    }
    if (graph) {
      const [name = ''] = readdirSync(dir);
      const profile = readFileSync(join(dir, name), 'utf8');
      writeFileSync(`${graph}.cpuprofile`, profile);
      writeFileSync(graph, flameGraph(JSON.parse(profile) as CpuProfile));
      report(`flame graph: ${graph}`);
    }
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function runRounds(node: BenchNode, report: (line: string) => void): Promise<void> {
  const started: number[] = [];
  const stopped: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const running = await node.start(pods);
    const ended = await running.stop();
    started.push(running.cpu);
    stopped.push(ended.cpu);
    report(`round ${round}, CPU to start and to stop ${pods} pods: ${cpuOf(running)} and ${cpuOf(ended)} s`);
  }
  report(`median after the second round, CPU to start and to stop ${pods} pods: ${median(started)} and ${median(stopped)} s`);
}

const cpuOf = ({ cpu }: Took) => cpu.toFixed(2);

function median(rounds: readonly number[]): string {
  const counted = rounds.slice(2).sort((a, b) => a - b);
  return (((counted[1] ?? Number.NaN) + (counted[2] ?? Number.NaN)) / 2).toFixed(2);
}
