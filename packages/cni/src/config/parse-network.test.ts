import { describe, expect, it } from 'vitest';
import { cniErrorCodes } from '../errors.js';
import { chooseNetworks, notReadyMessage } from './choose-networks.js';
import { jsonMembers } from './json-members.js';
import { parseNetwork } from './parse-network.js';
import { pluginInput } from './plugin-input.js';

const parse = (text: string | object) =>
  parseNetwork({ name: '10-net.conflist', text: typeof text === 'string' ? text : JSON.stringify(text) });
const list = (extra: object = {}) => ({ cniVersion: '1.0.0', name: 'net', plugins: [{ type: 'bridge' }], ...extra });

describe('parseNetwork', () => {
  it.each([
    ['no version', { name: 'n', type: 'bridge' }, '0.1.0'],
    ['cniVersion', list({ cniVersion: '0.3.1' }), '0.3.1'],
    ['the highest of cniVersions', list({ cniVersion: '0.4.0', cniVersions: ['0.3.1', '1.1.0', '1.0.0'] }), '1.1.0'],
    ['the highest that is supported', list({ cniVersion: '0.4.0', cniVersions: ['1.0.0', '2.0.0'] }), '1.0.0'],
  ])('calls the plugins in the version of the file: %s', (_, file, version) => {
    expect(parse(file).cniVersion).toBe(version);
  });

  it.each([
    ['{', '', 'is not JSON'],
    ['[]', '', 'must be a JSON object'],
    [`{"name":"n","plugins":${'['.repeat(300)}${']'.repeat(300)}}`, '', 'nested deeper'],
    [{ type: 'bridge' }, 'name', 'got nothing'],
    [list({ name: '-a' }), 'name', 'got "-a"'],
    [list({ name: 'a/b' }), 'name', 'got "a/b"'],
    [list({ plugins: [] }), 'plugins', 'at least one'],
    [list({ plugins: {} }), 'plugins', 'must be a list'],
    [{ cniVersion: '1.0.0', name: 'n' }, 'plugins', 'at least one'],
    [list({ plugins: [null] }), 'plugins[0]', 'must be an object'],
    [list({ plugins: [{}] }), 'plugins[0].type', 'got nothing'],
    [list({ plugins: [{ type: '../bridge' }] }), 'plugins[0].type', 'without a path'],
    [list({ plugins: [{ type: '..' }] }), 'plugins[0].type', 'without a path'],
    [list({ plugins: [{ type: 'a' }, { type: 'b', runtimeConfig: {} }] }), 'plugins[1].runtimeConfig', 'reserved'],
    [list({ plugins: [{ type: 'a', args: {} }] }), 'plugins[0].args', 'reserved'],
    [list({ plugins: [{ type: 'a', 'cni.dev/x': 1 }] }), 'plugins[0].cni.dev/x', 'reserved'],
    [list({ plugins: [{ type: 'a', capabilities: { mac: 1 } }] }), 'plugins[0].capabilities', 'true or false'],
    [list({ cniVersion: '3.0.0' }), 'cniVersion', 'none of the supported versions'],
    [list({ cniVersion: 1 }), 'cniVersion', 'must be a string'],
    [list({ cniVersions: '1.0.0' }), 'cniVersions', 'must be a list'],
    [list({ disableCheck: 1 }), 'disableCheck', 'true or false'],
  ])('refuses %j, naming the field', (file, field, problem) => {
    const error = (() => {
      try {
        return parse(file) as unknown;
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toMatchObject({ code: cniErrorCodes.invalidConfiguration, details: { file: '10-net.conflist', field } });
    expect((error as Error).message).toContain(problem);
  });

  it('keeps unknown members, their order and their numbers to the digit', () => {
    const plugin = '{"type":"bridge","10":1,"2":[9007199254740993, 1.50],"__proto__":{"a":"\\"}"},"z":1e400}';
    const network = parse(`{"cniVersion":"1.0.0","name":"n","plugins":[ ${plugin} ]}`);
    expect(pluginInput(network, network.plugins[0] as never)).toBe(
      '{"cniVersion":"1.0.0","name":"n","type":"bridge","10":1,"2":[9007199254740993, 1.50],"__proto__":{"a":"\\"}"},"z":1e400}',
    );
  });

  it('reads its own complete form to the same network', () => {
    const dropIns = [{ name: 'a.conf', text: '{"type":"tuning"}' }];
    const network = parseNetwork({ name: 'x', text: JSON.stringify(list({ more: { b: 1, a: 2 } })) }, dropIns);
    expect(parse(network.json)).toEqual(network);
    expect(network.plugins.map(({ type }) => type)).toEqual(['bridge', 'tuning']);
    const single = parse({ name: 'n', type: 'ptp', mtu: 1400 });
    expect(parse(single.json)).toEqual(single);
  });

  it.each([
    ['a list', list(), ['bridge', 'a', 'b']],
    ['loadOnlyInlinedPlugins', list({ loadOnlyInlinedPlugins: true }), ['bridge']],
    ['a list without plugins', { cniVersion: '1.1.0', name: 'net' }, ['a', 'b']],
    ['a single plugin', { name: 'net', type: 'ptp' }, ['ptp']],
  ])('adds the plugins of the folder in the order of their names: %s', (_, file, types) => {
    const dropIns = ['b', 'a'].map((type) => ({ name: `${type}.conf`, text: `{"type":"${type}"}` }));
    expect(parseNetwork({ name: 'x', text: JSON.stringify(file) }, dropIns).plugins.map(({ type }) => type)).toEqual(types);
  });
});

describe('pluginInput', () => {
  const network = parse(
    list({ plugins: [{ type: 'portmap', capabilities: { portMappings: true, mac: false }, prevResult: 1, name: 'x' }] }),
  );
  const [plugin] = network.plugins as [never];

  it('gives the plugin the values of its capabilities only', () => {
    const capabilityArgs = { portMappings: [{ hostPort: 80, containerPort: 80, protocol: 'tcp' as const }], mac: 'x', aliases: ['a'] };
    expect(JSON.parse(pluginInput(network, plugin, { capabilityArgs }))).toEqual({
      cniVersion: '1.0.0',
      name: 'net',
      type: 'portmap',
      runtimeConfig: { portMappings: capabilityArgs.portMappings },
    });
  });

  it('gives the previous result in the version of the call, and the valid attachments', () => {
    const prevResult = { cniVersion: '1.1.0' as const, ips: [{ address: '10.0.0.2/24' }] };
    const input = pluginInput({ ...network, cniVersion: '0.4.0' }, plugin, { prevResult, validAttachments: [] });
    expect(JSON.parse(input)).toEqual({
      cniVersion: '0.4.0',
      name: 'net',
      type: 'portmap',
      prevResult: { cniVersion: '0.4.0', ips: [{ version: '4', address: '10.0.0.2/24' }], dns: {} },
      'cni.dev/valid-attachments': [],
      'cni.dev/attachments': [],
    });
  });
});

describe('chooseNetworks', () => {
  const file = (name: string, network: string) => ({ name, text: JSON.stringify({ name: network, type: 'ptp' }) });

  it('takes the valid files by name, and names the others', () => {
    const files = [
      file('20.conf', 'b'),
      file('05.conflist.tmp', 'z'),
      { name: '10.conf', text: '{' },
      file('30.json', 'b'),
      file('15.conf', 'a'),
      file('readme', 'r'),
    ];
    const chosen = chooseNetworks({ files, dropIns: () => [] });
    expect(chosen.networks.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(chosen.problems.map((problem) => problem.file)).toEqual(['10.conf', '30.json']);
  });

  it('reports why there is no network', () => {
    expect(notReadyMessage('/etc/cni/net.d', { problems: [] })).toBe(
      'no network config found in /etc/cni/net.d: cni plugin not initialized',
    );
    const { problems } = chooseNetworks({ files: [{ name: 'a.conf', text: '[]' }], dropIns: () => [] });
    expect(notReadyMessage('/n', { problems })).toBe(
      'no network config found in /n: cni plugin not initialized; network configuration "a.conf": must be a JSON object',
    );
  });
});

describe('jsonMembers', () => {
  it.each([
    ['{}', []],
    [
      ' { "a" : 1 , "b":[1,{"c":","}] } ',
      [
        ['a', '1'],
        ['b', '[1,{"c":","}]'],
      ],
    ],
    [
      '{"\\u0061\\"":"\\\\","b":null}',
      [
        ['a"', '"\\\\"'],
        ['b', 'null'],
      ],
    ],
    ['{"a":-1.5e3}', [['a', '-1.5e3']]],
  ])('splits %s', (text, members) => {
    expect(jsonMembers(text)).toEqual(members);
  });
});
