import { describe, expect, it } from 'vitest';
import { createPodNetworks } from './pod-networks.js';
import { type FakePlugin, fakeCni, listOf, memoryNamespaces, output } from './test-ports.js';

const pod = { namespace: 'default', name: 'web', uid: 'u1' };

function useNetworks(plugin?: FakePlugin) {
  const fake = fakeCni({ config: listOf('a'), ...(plugin && { plugin }) });
  const namespaces = memoryNamespaces();
  const networks = createPodNetworks({ cni: fake.cni, namespaces });
  return { ...fake, namespaces, networks, setUp: (containerId: string) => networks.setUp({ containerId, pod }) };
}

describe('createPodNetworks', () => {
  it('sets up a namespace with addresses, and tears it down, twice', async () => {
    const { networks, namespaces, calls, setUp } = useNetworks();
    expect(await setUp('c1')).toMatchObject({ netns: '/ns/c1', ips: ['10.0.0.2'] });
    expect([...namespaces.names]).toEqual(['c1']);
    await networks.tearDown('c1');
    await networks.tearDown('c1');
    expect(calls).toEqual(['ADD a c1', 'DEL a c1']);
    expect(namespaces.names.size).toBe(0);
  });

  it('attaches a namespace of the caller to the network', async () => {
    const { networks, namespaces } = useNetworks();
    expect(await networks.setUp({ containerId: 'c1', pod, namespace: '/proc/7/ns/net' })).toMatchObject({ netns: '/ns/c1' });
    expect([...namespaces.bound]).toEqual([['c1', '/proc/7/ns/net']]);
  });

  it('leaves nothing behind after a failure, and names the plugin that failed', async () => {
    const { namespaces, results, attempts, setUp } = useNetworks(({ env }) =>
      env.CNI_COMMAND === 'ADD' ? output({ code: 100, msg: 'no' }, 1) : undefined,
    );
    await expect(setUp('c1')).rejects.toMatchObject({
      code: 'CniPluginFailed',
      message: 'failed to setup network for sandbox "c1": plugin type="a" name="net" failed (add): no',
      details: { plugin: 'a', cniCode: 100 },
    });
    expect([namespaces.names.size, results.texts.size, attempts.texts.size]).toEqual([0, 0, 0]);
  });

  it('keeps the namespace while DEL fails', async () => {
    let isBroken = true;
    const { networks, namespaces, setUp } = useNetworks(({ env }) => (env.CNI_COMMAND === 'DEL' && isBroken ? output('', 1) : undefined));
    await setUp('c1');
    await expect(networks.tearDown('c1')).rejects.toThrow('failed (del)');
    expect(namespaces.names.size).toBe(1);
    isBroken = false;
    await networks.tearDown('c1');
    expect(namespaces.names.size).toBe(0);
  });

  it('tears down in order with a set-up that has not finished', async () => {
    const { networks, namespaces, calls, setUp } = useNetworks();
    await Promise.all([setUp('c1'), networks.tearDown('c1')]);
    expect(calls).toEqual(['ADD a c1', 'DEL a c1']);
    expect(namespaces.names.size).toBe(0);
  });

  it('recovers: DEL for each unused attachment and namespace, with a namespace only where it still exists', async () => {
    const seen: unknown[] = [];
    const { networks, namespaces, setUp, orphans } = useNetworks(({ env }) => {
      if (env.CNI_COMMAND === 'DEL') seen.push([env.CNI_CONTAINERID, env.CNI_NETNS]);
      return undefined;
    });
    for (const containerId of ['used', 'unused', 'rebooted']) await setUp(containerId);
    namespaces.names.delete('rebooted');
    // Killed before ADD started.
    namespaces.names.add('early');
    await networks.recover((containerId) => containerId === 'used');
    expect(orphans).toEqual([['rebooted', 'unused', 'used']]);
    expect(seen.sort()).toEqual([
      ['early', '/ns/early'],
      ['rebooted', ''],
      ['unused', '/ns/unused'],
    ]);
    expect([...namespaces.names]).toEqual(['used']);
  });

  it('recovers the others when one fails, and that at the next time', async () => {
    let broken: string | undefined = 'c1';
    const { networks, namespaces, setUp } = useNetworks(({ env }) =>
      env.CNI_COMMAND === 'DEL' && env.CNI_CONTAINERID === broken ? output('', 1) : undefined,
    );
    for (const containerId of ['c1', 'c2']) await setUp(containerId);
    await expect(networks.recover(() => false)).rejects.toThrow('cannot remove unused networks: plugin type="a"');
    expect([...namespaces.names]).toEqual(['c1']);
    broken = undefined;
    await networks.recover(() => false);
    expect(namespaces.names.size).toBe(0);
  });
});
