/**
 * A custom agent: its pods come from code instead of files, and run on the embedded runtime. Other runtimes, sources, clocks and parts are
 * passed in the same way.
 *     node_modules/.bin/tsx examples/custom-agent/main.ts
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod, PodSource } from '@nodeagent/api';
import { createNodeAgent } from '@nodeagent/core/node';
import { createProcessRuntime } from '@nodeagent/process-runtime';

/** A pod source with a list that is set by code. */
function createListSource(): PodSource & { set(pods: Pod[]): void } {
  let pods: Pod[] = [];
  const source: PodSource & { set(pods: Pod[]): void } = {
    name: 'list',
    async start() {
      source.onPods?.(pods);
    },
    async stop() {},
    set(next) {
      pods = next;
      source.onPods?.(pods);
    },
  };
  return source;
}

/** A minimal pod: the agent sets the defaults of the API. */
function createPod(name: string, script: string): Pod {
  return {
    metadata: { name, namespace: 'jobs' },
    spec: {
      restartPolicy: 'OnFailure',
      terminationGracePeriodSeconds: 2,
      containers: [{ name: 'main', image: 'host', command: ['sh', '-c', script] }],
    },
  };
}

const rootDir = mkdtempSync(join(tmpdir(), 'custom-agent-'));
const cri = createProcessRuntime({ root: join(rootDir, 'runtime') });
const source = createListSource();
const agent = createNodeAgent({ nodeName: 'edge-1', rootDir, podLogsDir: join(rootDir, 'logs'), cri, sources: [source] });

/** Resolves when the pod reports the phase. */
const phase = (name: string, wanted: string) =>
  new Promise<void>((resolve) => agent.on('status', (of, { phase }) => of.metadata?.name === name && phase === wanted && resolve()));

const [jobDone, serverRuns] = [phase('job', 'Succeeded'), phase('server', 'Running')];
await agent.start();
source.set([createPod('job', 'exit 0'), createPod('server', 'exec sleep infinity')]);
await Promise.all([jobDone, serverRuns]);
for (const { pod, status } of agent.pods()) console.log(pod.metadata?.name, status.phase);

source.set([]);
await new Promise<void>((resolve) => agent.on('removed', ({ metadata }) => metadata?.name === 'server' && resolve()));
console.log('the server was removed');
await agent.stopPods();
await agent.stop();
rmSync(rootDir, { recursive: true });
