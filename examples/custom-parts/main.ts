/**
 * An agent with a custom pod source, runtime and status sink, and a wrapped volume manager. The parts between them are the kubelet's.
 *     node_modules/.bin/tsx examples/custom-parts/main.ts
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@nodeagent/api';
import { createNodeAgent } from '@nodeagent/core/node';
import { createCommandRuntime } from './command-runtime.js';
import { createListSource } from './list-source.js';
import { printMounts } from './print-mounts.js';
import { createPrintStatusSink } from './print-status-sink.js';

const pod = (name: string, script: string): Pod => ({
  metadata: { name, namespace: 'default' },
  spec: {
    restartPolicy: 'Never',
    volumes: [{ name: 'scratch', emptyDir: {} }],
    containers: [{ name: 'main', image: 'none', command: ['sh', '-c', script] }],
  },
});

const rootDir = mkdtempSync(join(tmpdir(), 'custom-parts-'));
const source = createListSource();
const agent = createNodeAgent({
  nodeName: 'edge-1',
  rootDir,
  podLogsDir: join(rootDir, 'logs'),
  sources: [source],
  parts: {
    runtime: createCommandRuntime,
    statusSink: () => createPrintStatusSink(console.log),
    volumeManager: (_, createDefault) => printMounts(createDefault(), console.log),
  },
});

/** Resolves when the pod reports the phase. */
const phase = (name: string, wanted: string) =>
  new Promise<void>((resolve) => agent.on('status', (of, { phase }) => of.metadata?.name === name && phase === wanted && resolve()));

await agent.start();
const serverRuns = phase('server', 'Running');
source.set([pod('server', 'exec sleep infinity')]);
await serverRuns;
const jobDone = phase('job', 'Succeeded');
source.set([pod('server', 'exec sleep infinity'), pod('job', 'exit 0')]);
await jobDone;
await agent.stopPods();
console.log(`${agent.pods().length} pods are left`);
await agent.stop();
rmSync(rootDir, { recursive: true });
