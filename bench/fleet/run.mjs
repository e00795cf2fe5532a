/**
 * One fleet of the built packages in a separate process: `run.mjs NODES PODS_PER_NODE HOURS`. Prints its costs as JSON, one line per
 * phase, with the heap after a full collection where Node runs with --expose-gc.
 */
const { createTestCluster } = await import(new URL('../../packages/test-cluster/dist/index.js', import.meta.url));
const [nodes = 10, pods = 30, hours = 24] = process.argv.slice(2).map(Number);
let before = { cpu: process.cpuUsage(), at: performance.now() };

function print(phase) {
  const { user, system } = process.cpuUsage(before.cpu);
  const wall = performance.now() - before.at;
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  console.log(JSON.stringify({ phase, cpu: (user + system) / 1e6, wall: wall / 1e3, rssMiB: rss / 2 ** 20, heapMiB: heapUsed / 2 ** 20 }));
  before = { cpu: process.cpuUsage(), at: performance.now() };
}

// A history that is full before the first hour ends: what it holds is no growth.
const server = { historyLimit: 10 * nodes };
const cluster = await createTestCluster({ nodes, periods: 'long', traceLimit: 0, node: { events: false }, server });
print('ready');
for (let node = 1; node <= nodes; node++) {
  for (let pod = 0; pod < pods; pod++) {
    cluster.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${node}-${pod}` },
      spec: { nodeName: `node-${node}`, containers: [{ name: 'main', image: 'app:1' }] },
    });
  }
}
const isRunning = () =>
  cluster.nodes.every(({ agent }) => {
    const views = agent.pods();
    return views.length === pods && views.every(({ status }) => status.phase === 'Running');
  });
while (!isRunning()) await cluster.advance('5s');
print('running');
await cluster.advance('30m');
print('settled');
await cluster.advance('1h');
print('1 h');
for (let hour = 2; hour <= hours; hour++) {
  await cluster.advance('1h');
  if (hour % 6 === 0) print(`${hour} h`);
}
await cluster.stop();
