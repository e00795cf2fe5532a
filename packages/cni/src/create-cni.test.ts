import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { parseNetwork } from './config/parse-network.js';
import { cniErrorCodes } from './errors.js';
import type { NetworkSource } from './network-source.js';
import { fakeCni, listOf, output } from './test-ports.js';

const attachment = { containerId: 'c1', netns: '/ns/c1' };

describe('add', () => {
  it('passes each result to the next plugin, and caches the last', async () => {
    const { cni, calls, inputs, results, attempts } = fakeCni({
      plugin: ({ plugin, env }) =>
        env.CNI_COMMAND === 'ADD' ? output({ ips: [{ address: plugin === 'a' ? '10.0.0.2/24' : '10.0.0.3/24' }] }) : undefined,
    });
    expect(await cni.add(attachment)).toEqual({ cniVersion: '1.1.0', ips: [{ address: '10.0.0.3/24' }] });
    expect(calls).toEqual(['ADD a c1', 'ADD b c1']);
    expect(inputs.map(({ prevResult }) => prevResult)).toEqual([
      undefined,
      { cniVersion: '1.1.0', ips: [{ address: '10.0.0.2/24' }], dns: {} },
    ]);
    expect([[...results.texts.keys()], [...attempts.texts.keys()]]).toEqual([['net-c1-eth0'], []]);
  });

  it('gives the plugins the attachment in their environment', async () => {
    const seen: object[] = [];
    const { cni } = fakeCni({ config: listOf('a'), plugin: ({ env }) => void seen.push(env) as undefined });
    await cni.add({
      ...attachment,
      ifName: 'net1',
      args: [
        ['A', '1'],
        ['B', '2=3'],
      ],
    });
    const env = { CNI_COMMAND: 'ADD', CNI_CONTAINERID: 'c1', CNI_NETNS: '/ns/c1', CNI_IFNAME: 'net1', CNI_ARGS: 'A=1;B=2=3' };
    expect(seen).toEqual([env]);
  });

  it('calls all plugins with DEL after a failure, and reports the failure', async () => {
    const { cni, calls, results, attempts } = fakeCni({
      config: listOf('a', 'b', 'c'),
      plugin: ({ plugin, env }) =>
        plugin === 'b' && env.CNI_COMMAND === 'ADD' ? output({ code: 11, msg: 'later', details: 'no address' }, 1) : undefined,
    });
    await expect(cni.add(attachment)).rejects.toMatchObject({
      code: cniErrorCodes.pluginFailed,
      message: 'plugin type="b" name="net" failed (add): later; no address',
      retryable: true,
      details: { plugin: 'b', network: 'net', command: 'ADD', cniCode: 11 },
    });
    expect(calls).toEqual(['ADD a c1', 'ADD b c1', 'DEL c c1', 'DEL b c1', 'DEL a c1']);
    expect([results.texts.size, attempts.texts.size]).toEqual([0, 0]);
  });

  it('records an attempt that cannot be undone, for a later DEL', async () => {
    let isBroken = true;
    const { cni, calls, attempts } = fakeCni({ config: listOf('a'), plugin: () => (isBroken ? output('', 1) : undefined) });
    await expect(cni.add(attachment)).rejects.toThrow('failed (add): exit status 1');
    expect([...attempts.texts.keys()]).toEqual(['net-c1-eth0']);
    expect(await cni.attachments('c1')).toEqual([{ network: 'net', containerId: 'c1', ifName: 'eth0', netns: '/ns/c1' }]);
    isBroken = false;
    await cni.del(attachment);
    expect(attempts.texts.size).toBe(0);
    expect(calls).toEqual(['ADD a c1', 'DEL a c1', 'DEL a c1']);
  });

  it('undoes an attachment whose result cannot be cached', async () => {
    const { cni, results, calls } = fakeCni({ config: listOf('a') });
    results.write = async () => Promise.reject(new Error('ENOSPC'));
    await expect(cni.add(attachment)).rejects.toThrow('ENOSPC');
    expect(calls).toEqual(['ADD a c1', 'DEL a c1']);
  });

  it('refuses a second attachment of the same name', async () => {
    const { cni, calls } = fakeCni({ config: listOf('a') });
    await cni.add(attachment);
    await expect(cni.add(attachment)).rejects.toMatchObject({ code: cniErrorCodes.invalidAttachment });
    await cni.add({ ...attachment, ifName: 'eth1' });
    expect(calls).toEqual(['ADD a c1', 'ADD a c1']);
  });

  it.each([
    ['rubbish', output('<html>'), 'the result is not JSON', 6],
    ['nothing', output(''), 'the result is empty', 6],
    ['an invalid result', output({ ips: [{ address: 'x' }] }), "the result's ips[0].address must be an IP address", 6],
    ['too much', { ...output('', 0), isTooLong: true }, 'its result is too long', 6],
    ['an error without text', output({ code: 7 }, 1), 'error code 7', 7],
    ['only a log', { exitCode: 2, stdout: '', stderr: 'panic: oh' }, 'exit status 2: panic: oh', undefined],
    ['nothing, killed', { signal: 'SIGSEGV', stdout: '', stderr: '' }, 'killed by SIGSEGV', undefined],
  ])('reports a plugin that prints %s', async (_, answer, text, cniCode) => {
    const { cni } = fakeCni({ config: listOf('a'), plugin: ({ env }) => (env.CNI_COMMAND === 'ADD' ? answer : undefined) });
    const error = await cni.add(attachment).catch((thrown) => thrown);
    expect(error.message).toContain(`plugin type="a" name="net" failed (add): ${text}`);
    expect(error.details.cniCode).toBe(cniCode);
  });

  it('ends a plugin at the time limit', async () => {
    const clock = createVirtualClock();
    const hang = (signal: AbortSignal) => new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { cni } = fakeCni({
      config: listOf('a'),
      clock,
      timeoutMs: 5_000,
      plugin: ({ env }, signal) => (env.CNI_COMMAND === 'ADD' ? hang(signal) : undefined),
    });
    const failed = expect(cni.add(attachment)).rejects.toMatchObject({
      code: cniErrorCodes.pluginTimedOut,
      message: 'plugin type="a" name="net" failed (add): no result within 5 s',
    });
    await clock.advance(5_000);
    await failed;
  });

  it('needs a network', async () => {
    const networks: NetworkSource = { networks: () => [], notReadyMessage: () => 'none', async start() {}, async stop() {} };
    const { cni } = fakeCni({ networks });
    await expect(cni.add(attachment)).rejects.toMatchObject({ code: cniErrorCodes.networkNotFound, message: 'none' });
    await expect(cni.add({ ...attachment, network: 'x' })).rejects.toThrow('no network configuration has the name "x"');
    expect(await cni.status()).toEqual({ ready: false, reason: 'NetworkPluginNotReady', message: 'none' });
  });
});

describe('del', () => {
  it('uses the configuration, arguments and result of ADD, whatever the networks are now', async () => {
    const old = { ...listOf('a', 'b'), extra: 1, plugins: [{ type: 'a', key: 'old', capabilities: { mac: true } }, { type: 'b' }] };
    let networks = [parseNetwork({ name: 'x', text: JSON.stringify(old) })];
    const source: NetworkSource = { networks: () => networks, notReadyMessage: () => '', async start() {}, async stop() {} };
    const { cni, calls, inputs, results } = fakeCni({ networks: source });
    await cni.add({ ...attachment, capabilityArgs: { mac: '02:00:00:00:00:01' } });
    networks = [];
    await cni.del({ ...attachment, network: 'net', netns: '' });
    expect(calls.slice(2)).toEqual(['DEL b c1', 'DEL a c1']);
    const prevResult = { cniVersion: '1.1.0', ips: [{ address: '10.0.0.2/24' }], dns: {} };
    expect(inputs.slice(2)).toEqual([
      { cniVersion: '1.1.0', name: 'net', type: 'b', prevResult },
      { cniVersion: '1.1.0', name: 'net', type: 'a', key: 'old', runtimeConfig: { mac: '02:00:00:00:00:01' }, prevResult },
    ]);
    expect(results.texts.size).toBe(0);
  });

  it.each([
    ['no cache entry', undefined],
    ['a damaged cache entry', '{"kind":"cniCacheV1","conta'],
  ])('calls the plugins of the current network with %s', async (_, text) => {
    const { cni, calls, inputs, results } = fakeCni({ config: listOf('a') });
    if (text !== undefined) results.texts.set('net-c1-eth0', text);
    await cni.del({ ...attachment, netns: '' });
    expect(calls).toEqual(['DEL a c1']);
    expect(inputs[0]).not.toHaveProperty('prevResult');
    expect(results.texts.size).toBe(0);
  });

  it('stops at an error, and keeps the entry', async () => {
    const { cni, calls, results } = fakeCni({
      plugin: ({ plugin, env }) => (env.CNI_COMMAND === 'DEL' && plugin === 'b' ? output({ code: 5, msg: 'io' }, 1) : undefined),
    });
    await cni.add(attachment);
    await expect(cni.del(attachment)).rejects.toThrow('plugin type="b" name="net" failed (del): io');
    expect(calls.slice(2)).toEqual(['DEL b c1']);
    expect(results.texts.size).toBe(1);
  });

  it('passes no result to plugins before 0.4.0', async () => {
    const { cni, inputs } = fakeCni({ config: { ...listOf('a'), cniVersion: '0.3.1' } });
    await cni.add(attachment);
    await cni.del(attachment);
    expect(inputs[1]).toEqual({ cniVersion: '0.3.1', name: 'net', type: 'a' });
  });
});

describe('check', () => {
  it('calls the plugins in order with the cached result', async () => {
    const { cni, calls, inputs } = fakeCni();
    await cni.add(attachment);
    await cni.check(attachment);
    expect(calls.slice(2)).toEqual(['CHECK a c1', 'CHECK b c1']);
    expect(inputs[3]?.prevResult).toMatchObject({ ips: [{ address: '10.0.0.2/24' }] });
  });

  it('does nothing with disableCheck', async () => {
    const { cni, calls } = fakeCni({ config: { ...listOf('a'), disableCheck: true } });
    await cni.add(attachment);
    await cni.check(attachment);
    expect(calls).toEqual(['ADD a c1']);
  });

  it('needs a cached result and CNI 0.4.0', async () => {
    await expect(fakeCni().cni.check(attachment)).rejects.toMatchObject({ code: cniErrorCodes.checkUnavailable });
    const { cni } = fakeCni({ config: { ...listOf('a'), cniVersion: '0.3.1' } });
    await cni.add(attachment);
    await expect(cni.check(attachment)).rejects.toThrow('CNI 0.3.1 does not have CHECK');
  });
});

describe('status', () => {
  it.each([
    ['1.1.0', undefined, { ready: true }, ['STATUS a']],
    ['1.0.0', undefined, { ready: true }, []],
    [
      '1.1.0',
      output({ code: 50, msg: 'the daemon is down' }, 1),
      { ready: false, reason: 'NetworkPluginNotReady', message: 'plugin type="a" name="net" failed (status): the daemon is down' },
      ['STATUS a'],
    ],
  ])('asks the plugins since CNI 1.1: %s', async (cniVersion, answer, status, expected) => {
    const { cni, calls } = fakeCni({ config: { ...listOf('a'), cniVersion }, plugin: () => answer });
    expect(await cni.status()).toEqual(status);
    expect(calls).toEqual(expected);
  });
});

describe('gc', () => {
  it('removes invalid attachments, then gives all plugins the valid ones', async () => {
    const { cni, calls, inputs } = fakeCni({
      plugin: ({ plugin, env }) => (env.CNI_COMMAND === 'GC' && plugin === 'a' ? output('', 1) : undefined),
    });
    for (const containerId of ['c1', 'c2']) await cni.add({ ...attachment, containerId });
    calls.length = 0;
    await expect(cni.gc(({ containerId }) => containerId === 'c1')).rejects.toThrow('plugin type="a" name="net" failed (gc)');
    expect(calls).toEqual(['DEL b c2', 'DEL a c2', 'GC a', 'GC b']);
    for (const name of ['cni.dev/valid-attachments', 'cni.dev/attachments'])
      expect(inputs.at(-1)?.[name]).toEqual([{ containerID: 'c1', ifname: 'eth0' }]);
    expect((await cni.attachments()).map(({ containerId }) => containerId)).toEqual(['c1']);
  });

  it.each([
    ['disableGC', { disableGC: true }, []],
    ['CNI 1.0', { cniVersion: '1.0.0' }, ['DEL a c1']],
  ])('does not call GC with %s', async (_, extra, expected) => {
    const { cni, calls } = fakeCni({ config: { ...listOf('a'), ...extra } });
    await cni.add(attachment);
    await cni.gc(() => false);
    expect(calls.slice(1)).toEqual(expected);
  });
});

describe('pluginVersions', () => {
  it('asks VERSION', async () => {
    const { cni, calls } = fakeCni({ plugin: () => output({ cniVersion: '1.1.0', supportedVersions: ['0.4.0', '1.0.0'] }) });
    expect(await cni.pluginVersions('bridge')).toEqual(['0.4.0', '1.0.0']);
    expect(calls).toEqual(['VERSION bridge']);
  });

  it('refuses another reply', async () => {
    const { cni } = fakeCni({ plugin: () => output('{}') });
    await expect(cni.pluginVersions('bridge')).rejects.toThrow('the reply to VERSION has no supportedVersions');
  });
});

it('checks its options', () => {
  expect(() => fakeCni({ timeoutMs: 0 })).toThrow('timeoutMs must be a number above 0');
  expect(() => fakeCni({ maxParalel: 1 } as never)).toThrow('did you mean "maxParallel"?');
});
