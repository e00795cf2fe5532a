/**
 * A fleet in a few seconds: a rollout, a rolling update, and a wave of memory pressure that goes through the nodes, drawn in the terminal.
 *
 *     node_modules/.bin/tsx examples/simulated-fleet/main.ts
 *     node_modules/.bin/tsx --max-old-space-size=4096 examples/simulated-fleet/main.ts 1000 30
 */
import { createTestCluster, type TestNode } from '@nodeagent/test-cluster';
import { type Deployment, deployment } from './deployment.js';
import { drawFleet } from './draw-fleet.js';

const [nodes = 40, podsPerNode = 5] = process.argv.slice(2).map(Number);
/** Pods of one Deployment, each in a namespace of its own. */
const podsPerApp = 100;
const apps = Array.from({ length: Math.ceil((nodes * podsPerNode) / podsPerApp) }, (_, index) => `app-${index}`);

const cluster = await createTestCluster({ nodes, rhythm: 'calm', traceLimit: 0, node: { events: nodes <= 100 } });
const { server, clock } = cluster;
const startedAt = clock.monotonic();

/** Draws what nodes are like: how many pods run there, `~` for memory pressure. */
function draw(title: string): void {
  const minutes = ((clock.monotonic() - startedAt) / 60_000).toFixed(1).padStart(5);
  const pods = cluster.pods();
  const running = pods.filter(({ status }) => status?.phase === 'Running');
  const versions = new Map<string, number>();
  for (const { spec } of running) versions.set(spec?.containers[0]?.image ?? '', (versions.get(spec?.containers[0]?.image ?? '') ?? 0) + 1);
  const images = [...versions].map(([image, count]) => `${count} of ${image}`).join(', ');
  console.log(`${minutes} min  ${title}: ${running.length} pods run (${images})`);
  const counts = new Map<string, number>();
  for (const { spec } of running) counts.set(spec?.nodeName ?? '', (counts.get(spec?.nodeName ?? '') ?? 0) + 1);
  const states = cluster.nodes.map((node) => ({
    share: (counts.get(node.name) ?? 0) / (2 * podsPerNode),
    pressed: node.condition('MemoryPressure') === 'True',
  }));
  for (const line of drawFleet(states, Math.min(100, nodes))) console.log(`           ${line}`);
}

// Containers take three seconds to start.
cluster.script({}, { startMs: 3_000, usage: { memoryBytes: 64 * 2 ** 20 } });
for (const app of apps) {
  server.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: app } });
  cluster.apply(deployment(app, Math.min(podsPerApp, nodes * podsPerNode), 'app:1'));
}
await cluster.advance('2s');
draw('rollout');
await cluster.advance('2m');
draw('rolled out');

for (const app of apps) {
  server.objects.update<Deployment>(
    'deployments',
    app,
    ({ spec }) => Object.assign(spec.template.spec.containers[0] ?? {}, { image: 'app:2' }),
    {
      namespace: app,
    },
  );
}
for (const step of ['4s', '4s', '4s', '2m']) {
  await cluster.advance(step);
  draw('rolling update');
}

/** The wave: a tenth of the nodes at a time is short of memory for two minutes. */
const wave = (at: number): TestNode[] => cluster.nodes.slice((at * nodes) / 10, ((at + 2) * nodes) / 10);
for (let at = 0; at < 10; at += 2) {
  for (const node of cluster.nodes) node.pressure({ memory: wave(at).includes(node) ? '99%' : '0' });
  await cluster.advance('1m');
  draw('pressure');
}
for (const node of cluster.nodes) node.pressure({ memory: '0' });
await cluster.advance('30m');
draw('afterwards');
await cluster.stop();
