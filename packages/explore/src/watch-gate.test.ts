import { type ConfigMap, errorMessage } from '@nodeagent/api';
import { createKubeClient } from '@nodeagent/kube-client';
import type { TestCluster } from '@nodeagent/test-cluster';
import { describe, expect, it } from 'vitest';
import type { Controller } from './controller.js';
import { replay } from './explore.js';
import type { ExploreOptions } from './options.js';

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name: 'p' } };

/** Watches ConfigMaps and Secrets, and changes a ConfigMap, and notes what it sees. */
const watcher: Controller = async ({ transport, clock, random, signal, note }) => {
  const client = createKubeClient({ transport, clock, random, qps: 0, cluster: { server: 'https://cluster' } });
  const follow = async (kind: 'configMaps' | 'secrets') => {
    const informer = client[kind].informer();
    signal.addEventListener('abort', () => void informer.stop());
    await new Promise<void>((resolve, reject) => {
      informer.onChange((change) => {
        if (informer.hasSynced) resolve();
        const object: ConfigMap | undefined = change?.object;
        if (['p', 's'].includes(object?.metadata?.name ?? '')) note(`saw ${kind} ${object?.metadata?.name} ${object?.data?.turn}`);
      });
      informer.start().catch(reject);
    });
  };
  await follow('configMaps');
  await follow('secrets');
  const patch = { data: { turn: 'own' } };
  await client.configMaps.patch({ namespace: 'default', name: 'p' }, patch, { type: 'merge' }).catch((error) => note(errorMessage(error)));
};

async function seen(schedule: string, actions: (cluster: TestCluster) => Promise<void>): Promise<string[]> {
  const options: ExploreOptions = { controller: watcher, actions, duration: '1m', cluster: { nodes: 0 } };
  const setup = ({ server }: TestCluster) => void server.objects.create(configMap);
  const { run } = await replay(setup, options, schedule);
  return run.timeline.filter((line) => /saw|failed calling/.test(line)).map((line) => line.replace(/^.*controller 1: /, ''));
}

describe('events', () => {
  it('of one object are one change, if they are missed', async () => {
    const thrice = async ({ apply, advance }: TestCluster) => {
      for (const turn of ['1', '2', '3']) {
        await advance('1s');
        apply({ ...configMap, data: { turn } }, { force: true });
      }
      await advance('40s');
    };
    const first = 'saw configMaps p undefined';
    expect(await seen('undisturbed', thrice)).toEqual([first, ...['own', '1', '2', '3'].map((turn) => `saw configMaps p ${turn}`)]);
    expect(await seen('miss@4', thrice)).toEqual([first, 'saw configMaps p 3']);
  });

  it('of two resources arrive in another order', async () => {
    const both = async ({ server, apply, advance }: TestCluster) => {
      await advance('1s');
      apply({ ...configMap, data: { turn: '1' } }, { force: true });
      await advance('1s');
      server.objects.create({ apiVersion: 'v1', kind: 'Secret', metadata: { namespace: 'default', name: 's' } });
      await advance('1s');
    };
    const [first, secret] = ['saw configMaps p undefined', 'saw secrets s undefined'];
    const changed = ['saw configMaps p own', 'saw configMaps p 1'];
    expect(await seen('undisturbed', both)).toEqual([first, ...changed, secret]);
    expect(await seen('reorder@4:configmaps', both)).toEqual([first, secret, ...changed]);
  });
});

describe('webhooks', () => {
  const nothing = async ({ advance }: TestCluster) => advance('1s');

  it.each([
    ['webhook-timeout@4', 'context deadline exceeded'],
    ['webhook-down@4', 'connection refused'],
  ])('%s: fail a write', async (schedule, why) => {
    expect(await seen(schedule, nothing)).toContainEqual(expect.stringMatching(`failed calling webhook .*: ${why}`));
  });
});
