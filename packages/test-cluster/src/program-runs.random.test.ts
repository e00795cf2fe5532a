import type { KubeObject } from '@nodeagent/api';
import type { Program } from '@nodeagent/memory-runtime';
import { seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createTestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';

const seeds = process.env.TEST_SEED ? [Number(process.env.TEST_SEED)] : [1, 2];

/** Servers that fail now and then, and clients that log what they get. */
function programs(random: () => number): Record<string, Program> {
  return {
    'shop:1': async ({ listen, sleep, signal, hostname, files }) => {
      listen(8080, async () => {
        await sleep(random() * 2_000);
        if (random() < 0.05) throw new Error('no stock');
        files.append('/tmp/orders', 'x');
        return `${hostname} ${files.readText('/tmp/orders').length}`;
      });
      await sleep(random() * 120_000, signal);
      return random() < 0.5 ? 0 : 1;
    },
    'client:1': async ({ fetch, sleep, stdout, timeout, now }) => {
      for (;;) {
        const text = await fetch('http://shop', { signal: timeout(1_500) }).then(
          async (response) => `${response.status} ${await response.text()}`,
          (error) => error.cause?.code ?? error.name,
        );
        stdout(`${now()} ${text}`);
        await sleep(random() * 500);
      }
    },
  };
}

async function run(seed: number): Promise<string[]> {
  const random = seededRandom(seed);
  const cluster = await createTestCluster({ nodes: 3, seed: seed });
  for (const [image, program] of Object.entries(programs(random))) cluster.image(image, program);
  const container = { name: 'main', image: 'shop:1', readinessProbe: { httpGet: { port: 8080 }, periodSeconds: 2 } };
  cluster.apply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'shop' },
    spec: { selector: { app: 'shop' }, ports: [{ port: 80, targetPort: 8080 }] },
  } as KubeObject);
  const template = { metadata: { labels: { app: 'shop' } }, spec: { containers: [container] } };
  const spec = { replicas: 4, selector: { matchLabels: { app: 'shop' } }, template };
  cluster.apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'shop' }, spec } as KubeObject);
  for (const name of ['a', 'b']) cluster.apply(podOf(name, { image: 'client:1' }));
  for (let step = 0; step < 8; step++) {
    await cluster.advance(random() * 30_000);
    const node = cluster.node(`node-${1 + Math.floor(random() * 3)}`);
    const fault = random();
    if (!node.isUp) await node.restart();
    else if (node.isPartitioned) node.heal();
    else if (fault < 0.2) node.crash('machine');
    else if (fault < 0.4) node.partition('silent');
    else if (fault < 0.5) cluster.server.objects.delete('pods', cluster.pods({ labelSelector: 'app=shop' })[0]?.metadata?.name ?? '');
  }
  const logs = cluster.nodes.flatMap(({ name, runtime }) =>
    runtime.containers().flatMap(({ id, pod }) => runtime.logs(id).map((line) => `${name} ${pod} ${line.replace(/^ +at .*/, '')}`)),
  );
  const { lines } = cluster.trace;
  expect(await cluster.stop()).toBe(0);
  return [...lines, ...logs];
}

it.each(seeds)(
  'the same seed gives the same run of programs (seed %i, or TEST_SEED=n)',
  async (seed) => {
    const [first, second] = [await run(seed), await run(seed)];
    expect(first.some((line) => / 200 shop-/.test(line))).toBe(true);
    expect(second).toEqual(first);
  },
  60_000,
);
