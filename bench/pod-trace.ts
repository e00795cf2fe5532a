import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { AuditEvent } from '@nodeagent/test-api-server';
import { provideContainerd } from '../tests/support/containerd/provide-containerd.js';
import { kubeletBinary } from '../tests/support/kubelet/kubelet-process.js';
import { type BenchNodeOptions, startBenchNode } from './beside-kubelet/bench-node.js';
import { type PodTrace, readContainerdLog, tracePod } from './pod-trace/trace.js';

/** Pods that warm up the agent. */
const warmUps = 10;
const pods = Number(process.env.NODEAGENT_BENCH_PODS ?? 30);

/**
 * One pod after the other from its creation in the API server to its Ready condition there, on containerd: each step in the log of containerd and the
 * audit of the API server, so that the agent runs unchanged. With `NODEAGENT_KUBELET` (the path of one) the same for a kubelet.
 */
export async function benchPodTrace(report: (line: string) => void): Promise<void> {
  const binaries = provideContainerd(false).found.at(-1);
  if (process.getuid?.() !== 0 || binaries === undefined) {
    report('trace of pod starts on containerd: skipped, because it needs root and containerd');
    return;
  }
  execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/build.mjs', import.meta.url)), '--no-types', 'cli'], {
    stdio: 'ignore',
  });
  const agents = { nodeagent: undefined, ...(kubeletBinary && { kubelet: kubeletBinary }) };
  for (const [name, kubelet] of Object.entries(agents)) {
    const traces = await tracePods({ binaries, kubelet });
    for (const step of Object.keys(traces[0] ?? {}) as (keyof PodTrace)[]) {
      const times = traces.map((trace) => trace[step]).sort((a, b) => a - b);
      const at = (share: number) => times[Math.floor(share * (times.length - 1))]?.toFixed(1);
      report(`${name}, ${step}: ${at(0.5)} ms (of ${pods} pods, those between ${at(0.1)} and ${at(0.9)} ms are four fifths)`);
    }
  }
}

async function tracePods(options: BenchNodeOptions): Promise<PodTrace[]> {
  const audit: AuditEvent[] = [];
  const node = await startBenchNode({ ...options, audit: (event) => audit.push(event) });
  try {
    await (await node.start(warmUps, { serial: true })).stop();
    const started = await node.start(pods, { serial: true });
    const calls = readContainerdLog(node.daemonLog ?? '');
    const traces = started.created.map(({ name, at }) => {
      const called = calls.get(name);
      if (called === undefined) throw new Error(`containerd logged no start of pod ${name}`);
      return tracePod(name, at, called, audit);
    });
    await started.stop();
    return traces;
  } finally {
    await node.stop();
  }
}
