import type { PodDetailsModel } from '@nodeagent/pod-view/cluster';
import { createTestCluster } from '@nodeagent/test-cluster';
import { expect, it } from 'vitest';
import { createTestConsole } from '../test-console.js';
import { serveClusterPage } from './cluster-page.js';
import { simulateCluster } from './simulate-cluster.js';

it.each([
  [['--ui-port', '8080'], '--ui-port: requires --ui'],
  [['--ui', '--ui-port', '70000'], '--ui-port: "70000" is not a whole number from 0 to 65535'],
  [['--nodes', '5001'], '--nodes: "5001" is not a whole number from 0 to 5000'],
  [['--speed', '0'], '--speed: "0" is not a number above 0'],
  [['--service-certs', '/tmp'], '--service-certs: requires --service-url'],
])('%j: %s', async (args, message) => {
  const { console } = createTestConsole();
  await expect(simulateCluster(args, console)).rejects.toMatchObject({ code: 'BAD_USAGE', message: expect.stringContaining(message) });
});

it('serves the nodes and pods of the cluster, and logs and events of a pod, on a port of the loopback interface', async () => {
  const cluster = await createTestCluster();
  const page = await serveClusterPage(cluster, { speed: 1, port: 0 });
  try {
    const containers = [{ name: 'main', image: 'web:1' }];
    cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } });
    await cluster.until(() => cluster.pod('web')?.status?.phase === 'Running');
    await cluster.advance('2s');
    const read = async (path: string) => (await fetch(page.url + path)).json();
    expect(await read('state')).toMatchObject({
      nodes: [{ name: 'node-1', level: 'good', status: 'Ready' }],
      pods: [{ name: 'web', namespace: 'default', node: 'node-1', level: 'good', status: 'Running' }],
    });
    const details = (await read('pod?name=web&namespace=default')) as PodDetailsModel;
    expect(details).toMatchObject({ containers: [{ name: 'main', state: 'running, ready' }] });
    expect(details.events.map(({ text }) => text.split(':')[0])).toContain('Started');
    const port = Number(new URL(page.url).port);
    await expect(serveClusterPage(cluster, { speed: 1, port })).rejects.toMatchObject({
      code: 'CANNOT_LISTEN',
      message: `--ui-port: the page cannot listen on 127.0.0.1:${port}: the port is in use`,
    });
  } finally {
    page.close();
    expect(await cluster.stop()).toBe(0);
  }
});
