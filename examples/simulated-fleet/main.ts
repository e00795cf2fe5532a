/**
 * A simulated fleet: a rollout, a rolling update, and a wave of memory pressure, drawn in the terminal.
 *     node_modules/.bin/tsx examples/simulated-fleet/main.ts [NODES [PODS_PER_NODE]]
 */
import type { Pod } from '@nodeagent/api';
import { createTestCluster } from '@nodeagent/test-cluster';
import { type Deployment, deployment } from './deployment.js';
import { drawFleet, legend } from './draw-fleet.js';

const [nodes = 12, podsPerNode = 2] = process.argv.slice(2).map(Number);
/** Pods of a node that is drawn as full. */
const capacity = 2 * podsPerNode;
/** Replicas of each Deployment. */
const replicas = 12;
const apps = Array.from({ length: Math.ceil((nodes * podsPerNode) / replicas) }, (_, index) => `app-${index + 1}`);

const isTerminal = process.stderr.isTTY;
if (isTerminal) process.stderr.write(`starting ${nodes} nodes ...\r`);
const cluster = await createTestCluster({ nodes, periods: 'long', traceLimit: 0, node: { events: false } });
const { server, clock } = cluster;
const startedAt = clock.monotonic();

/** Counts each name. */
function counted(names: readonly (string | undefined)[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const minutesPassed = () => ((clock.monotonic() - startedAt) / 60_000).toFixed(1).padStart(5);

/** Prints the progress. Asks the runtimes, because a list of all pods would be copied each time. */
function printProgress(): void {
  const running = cluster.nodes.reduce((sum, { runtime }) => sum + runtime.usages().length, 0);
  process.stderr.write(`\r${minutesPassed()} min  ${running} containers running, after ${Math.round(performance.now() / 1000)} s\u001b[K`);
}

function draw(title: string): void {
  if (isTerminal) process.stderr.write('\r\u001b[K');
  const running = cluster.pods().filter(({ status }: Pod) => status?.phase === 'Running');
  const images = [...counted(running.map(({ spec }) => spec?.containers[0]?.image))].map(([image, count]) => `${count} of ${image}`);
  console.log(`${minutesPassed()} min  ${title}: ${images.sort().join(', ') || 'nothing runs'}`);
  const perNode = counted(running.map(({ spec }) => spec?.nodeName));
  const states = cluster.nodes.map((node) => ({
    share: (perNode.get(node.name) ?? 0) / capacity,
    isUnderPressure: node.condition('MemoryPressure') === 'True',
  }));
  for (const line of drawFleet(states, Math.min(100, nodes))) console.log(`           ${line}`);
}

const progress = isTerminal && setInterval(printProgress, 1_000);

// Containers take three seconds to start.
cluster.script({}, { startMs: 3_000, usage: { memoryBytes: 64 * 2 ** 20 } });
console.log(legend(capacity));
for (const app of apps) {
  server.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: app } });
  cluster.apply(deployment(app, replicas, 'app:1'));
}
await cluster.advance('2m');
draw('rolled out');

for (const app of apps) {
  const toVersion2 = ({ spec }: Deployment) => Object.assign(spec.template.spec.containers[0] ?? {}, { image: 'app:2' });
  server.objects.update<Deployment>('deployments', app, toVersion2, { namespace: app });
}
for (const step of ['3s', '5s']) {
  await cluster.advance(step);
  draw('rolling update');
}
await cluster.advance('2m');
draw('rolling update');

// A third of the nodes at a time is under memory pressure for a while. Its pods are evicted, and replaced on other nodes.
for (let at = 0; at < 3; at++) {
  for (const [index, node] of cluster.nodes.entries()) node.pressure({ memory: Math.floor((3 * index) / nodes) === at ? '99%' : '0' });
  await cluster.advance('20m');
  draw('memory pressure');
}
for (const node of cluster.nodes) node.pressure({ memory: '0' });
await cluster.advance('20m');
draw('afterwards');
if (progress) clearInterval(progress);
await cluster.stop();
