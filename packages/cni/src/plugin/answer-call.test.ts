import { describe, expect, it } from 'vitest';
import { answerCniCall, type CniPlugin, pluginError } from './answer-call.js';

const env = { CNI_COMMAND: 'ADD', CNI_CONTAINERID: 'c1', CNI_NETNS: '/ns', CNI_IFNAME: 'eth0', CNI_PATH: '/a:/b', CNI_ARGS: 'A=1;B=x=y' };
const config = { cniVersion: '1.0.0', name: 'net', type: 'mine' };

async function answer(plugin: CniPlugin, change: object = {}, input: unknown = config) {
  const { exitCode, stdout } = await answerCniCall(plugin, {
    env: { ...env, ...change },
    stdin: typeof input === 'string' ? input : JSON.stringify(input),
  });
  return { exitCode, reply: stdout === '' ? '' : JSON.parse(stdout) };
}

describe('answerCniCall', () => {
  it('gives add the call, and writes its result in the version of the call', async () => {
    const calls: object[] = [];
    const plugin: CniPlugin = {
      add(call) {
        calls.push(call);
        return { interfaces: [{ name: 'eth0', mtu: 1400 }], ips: [{ address: '10.0.0.2/8', interface: 0 }] };
      },
    };
    const prevResult = { cniVersion: '0.4.0', ips: [{ version: '4', address: '10.0.0.1/8' }] };
    const input = { ...config, cniVersion: '0.4.0', runtimeConfig: { mac: 'x' }, prevResult };
    expect(await answer(plugin, {}, input)).toEqual({
      exitCode: 0,
      reply: { cniVersion: '0.4.0', interfaces: [{ name: 'eth0' }], ips: [{ version: '4', address: '10.0.0.2/8', interface: 0 }], dns: {} },
    });
    expect(calls).toEqual([
      {
        containerId: 'c1',
        netns: '/ns',
        ifName: 'eth0',
        args: { A: '1', B: 'x=y' },
        path: ['/a', '/b'],
        config: input,
        runtimeConfig: { mac: 'x' },
        prevResult: { cniVersion: '0.4.0', ips: [{ address: '10.0.0.1/8' }] },
      },
    ]);
  });

  it('passes the previous result on without add', async () => {
    const prevResult = { cniVersion: '1.0.0', ips: [{ address: '10.0.0.1/8' }] };
    expect((await answer({}, {}, { ...config, prevResult })).reply).toEqual({ ...prevResult, dns: {} });
  });

  it.each([
    ['DEL', { CNI_COMMAND: 'DEL', CNI_NETNS: '' }, config],
    ['CHECK', { CNI_COMMAND: 'CHECK' }, config],
    ['STATUS', { CNI_COMMAND: 'STATUS' }, { ...config, cniVersion: '1.1.0' }],
    ['GC', { CNI_COMMAND: 'GC' }, { ...config, cniVersion: '1.1.0', 'cni.dev/valid-attachments': [{ containerID: 'c1', ifname: 'eth0' }] }],
    ['GC', { CNI_COMMAND: 'GC' }, { ...config, cniVersion: '1.1.0', 'cni.dev/attachments': [{ containerID: 'c1', ifname: 'eth0' }] }],
  ])('calls the handler of %s, and writes nothing', async (command, change, input) => {
    const called: unknown[] = [];
    const note = (name: string) => (call: object) => void called.push(name, (call as { validAttachments?: unknown }).validAttachments);
    const plugin = { del: note('DEL'), check: note('CHECK'), status: note('STATUS'), gc: note('GC') };
    expect(await answer(plugin, change, input)).toEqual({ exitCode: 0, reply: '' });
    expect(called).toEqual([command, command === 'GC' ? [{ containerID: 'c1', ifname: 'eth0' }] : undefined]);
  });

  it('answers VERSION with the supported versions', async () => {
    expect((await answer({ supportedVersions: ['1.0.0'] }, { CNI_COMMAND: 'VERSION' }, { cniVersion: '1.1.0' })).reply).toEqual({
      cniVersion: '1.1.0',
      supportedVersions: ['1.0.0'],
    });
  });

  it.each([
    ['another version', {}, { ...config, cniVersion: '0.2.0' }, 1],
    ['a missing variable', { CNI_IFNAME: '' }, config, 4],
    ['no namespace for ADD', { CNI_NETNS: '' }, config, 4],
    ['an unknown command', { CNI_COMMAND: 'FLY' }, config, 4],
    ['invalid CNI_ARGS', { CNI_ARGS: 'A' }, config, 4],
    ['no JSON', {}, '{', 6],
    ['an invalid prevResult', {}, { ...config, prevResult: { ips: 1 } }, 6],
    ['no name', {}, { cniVersion: '1.0.0', type: 'x' }, 7],
  ])('fails with the code of the specification for %s', async (_, change, input, code) => {
    const { exitCode, reply } = await answer({}, change, input);
    expect([exitCode, reply.code, typeof reply.msg]).toEqual([1, code, 'string']);
  });

  it.each([
    [new Error('boom'), { code: 999, msg: 'boom' }],
    [pluginError(11, 'later', 'no lock'), { code: 11, msg: 'later', details: 'no lock' }],
  ])('writes the error that a handler throws', async (error, expected) => {
    const plugin = { add: () => Promise.reject(error) };
    expect(await answer(plugin)).toEqual({ exitCode: 1, reply: { cniVersion: '1.0.0', ...expected } });
  });
});
