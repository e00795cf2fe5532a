import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { provideContainerd } from '../tests/support/containerd/provide-containerd.js';
import { kubeletBinary } from '../tests/support/kubelet/kubelet-process.js';
import { measureAgent } from './beside-kubelet/measure-agent.js';
import { agentsOf, kubeletName, type Measurement, type Results, ratiosOf, spread, valuesOf } from './beside-kubelet/results.js';
import { rows } from './beside-kubelet/rows.js';

const text = { encoding: 'utf8' } as const;
const script = (name: string) => fileURLToPath(new URL(`../scripts/${name}`, import.meta.url));

/** The major versions of `NODEAGENT_BENCH_NODE`, such as `20,22,24`. Default: the Node of this process. */
const majors = process.env.NODEAGENT_BENCH_NODE?.split(',') ?? [];
const rounds = Number(process.env.NODEAGENT_BENCH_ROUNDS ?? 1);

/**
 * A kubelet (its path is in `NODEAGENT_KUBELET`) and the built `nodeagent run` with each Node, one after the other on the same containerd, with
 * the same configuration and the same pods, in `NODEAGENT_BENCH_ROUNDS` rounds. Those of 60 pods are the third start of each.
 * `NODEAGENT_BENCH_RESULTS` names a JSON file for what each agent took in each round.
 */
export async function benchBesideKubelet(report: (line: string) => void): Promise<void> {
  const binaries = provideContainerd(false).found.at(-1);
  const missing = process.getuid?.() !== 0 ? 'it needs root' : binaries === undefined ? 'no containerd is installed' : undefined;
  if (missing !== undefined || binaries === undefined) return report(`beside a kubelet: skipped, because ${missing}`);
  if (kubeletBinary === undefined) report('beside a kubelet: without a kubelet, because NODEAGENT_KUBELET names none');
  execFileSync(process.execPath, [script('build.mjs'), '--no-types', 'cli'], { stdio: 'ignore' });

  const agents = [...(kubeletBinary === undefined ? [] : [{ agent: kubeletName, options: { kubelet: kubeletBinary } }]), ...nodes()];
  const measurements: Measurement[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const { agent, options } of agents) {
      measurements.push({ agent, round, usage: await measureAgent({ binaries, ...options }) });
      const results = resultsOf(measurements);
      if (process.env.NODEAGENT_BENCH_RESULTS)
        writeFileSync(process.env.NODEAGENT_BENCH_RESULTS, `${JSON.stringify(results, undefined, 2)}\n`);
      console.error(`round ${round} of ${rounds}: ${agent} is measured`);
    }
  }
  reportRows(resultsOf(measurements), report);
}

/** The nodes of this process or of each major version, by names such as `Node 24.21.0`. */
function nodes() {
  const paths =
    majors.length === 0
      ? [process.execPath]
      : majors.map((major) =>
          execFileSync(process.execPath, [script('with-node.mjs'), major, 'node', '--print', 'process.execPath'], text).trim(),
        );
  return paths.map((node) => ({ agent: `Node ${execFileSync(node, ['--version'], text).trim().slice(1)}`, options: { node } }));
}

const resultsOf = (measurements: readonly Measurement[]): Results => ({
  date: new Date().toISOString().slice(0, 10),
  machine: `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'})`,
  rows,
  measurements,
});

/** A line a row and agent: the median of the rounds, that of the kubelet, and the least, middle and largest ratio. */
function reportRows(results: Results, report: (line: string) => void): void {
  for (const { label, of, unit, digits } of results.rows) {
    for (const agent of agentsOf(results)) {
      const amount = (name: string) => `${spread(valuesOf(results, name, of)).median.toFixed(digits)} ${unit}`;
      const { min, median, max } = spread(ratiosOf(results, agent, of));
      const beside = kubeletBinary
        ? `, kubelet ${amount(kubeletName)}, ${median.toFixed(2)} times (${min.toFixed(2)} to ${max.toFixed(2)})`
        : '';
      report(`${agent}, ${label}: ${amount(agent)}${beside}`);
    }
  }
}
