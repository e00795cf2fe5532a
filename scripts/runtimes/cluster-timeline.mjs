import { createTestCluster } from '@nodeagent/test-cluster';

const podSpec = (name, spec = {}) => ({ containers: [{ name, image: `${name}:1` }], ...spec });

const crasher = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'crasher' }, spec: podSpec('crash', { nodeName: 'node-1' }) };

const web = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    replicas: 5,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [{ name: 'web', image: 'web:1', readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 5 } }],
      },
    },
  },
};

/**
 * Half an hour of three nodes with a crash loop, a deployment and a machine that fails: every call and request, the events and the pods at the end.
 * The same seed gives the same lines in each runtime.
 */
export async function clusterTimeline() {
  const cluster = await createTestCluster({ nodes: 3, seed: 1, traceLimit: 100_000 });
  cluster.script('crash', { exit: { afterMs: 10_000, code: 1 } });
  cluster.apply(crasher);
  cluster.apply(web);
  await cluster.advance('5m');
  cluster.node('node-2').crash('machine');
  await cluster.advance('10m');
  await cluster.node('node-2').restart();
  cluster.apply({ ...web, spec: { ...web.spec, replicas: 3 } });
  await cluster.advance('15m');
  const { objects } = cluster.server;
  const lines = [
    ...cluster.trace.lines,
    ...['events', 'pods', 'nodes'].flatMap((resource) => objects.list(resource).map((object) => JSON.stringify(object))),
  ];
  const timers = await cluster.stop();
  return [...lines, `timers left: ${timers}`];
}
