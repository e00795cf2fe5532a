import { errorCode } from '@nodeagent/api';
import { cniErrorCodes } from '@nodeagent/cni';
import {
  answerCniCall,
  cacheEntryName,
  chooseNetworks,
  cniVersions,
  decodeCacheEntry,
  encodeCacheEntry,
  parseNetwork,
  parseResult,
  pluginInput,
  podIPsOf,
  resultJson,
} from '@nodeagent/cni/decisions';
import fc from 'fast-check';
import { type Json, jsonText, mutatedJson } from '../generate/json.js';
import { promise, promiseDocumented, promisePlain, promiseSame, resultUnless } from '../promises.js';
import { fuzzTarget } from '../target.js';

const results: Json[] = [
  {
    cniVersion: '1.1.0',
    interfaces: [
      { name: 'cni0', mtu: 1500 },
      { name: 'eth0', mac: '02:00:00:00:00:01', sandbox: '/run/netns/a', pciID: '0' },
    ],
    ips: [
      { address: '10.0.0.2/24', gateway: '10.0.0.1', interface: 1 },
      { address: 'fd00::2/64', interface: 1 },
    ],
    routes: [{ dst: '0.0.0.0/0', gw: '10.0.0.1', mtu: 1400, table: 1 }, { dst: '::/0' }],
    dns: { nameservers: ['10.0.0.10'], domain: 'd', search: ['svc'], options: ['ndots:5'] },
  },
  { cniVersion: '0.4.0', ips: [{ version: '4', address: '10.0.0.2/24' }], dns: {} },
  { cniVersion: '0.2.0', ip4: { ip: '10.0.0.2/8', gateway: '10.0.0.1', routes: [{ dst: '0.0.0.0/0' }] }, ip6: { ip: 'fd00::2/64' } },
  { cniVersion: '1.0.0', code: 11, msg: 'try again', details: 'no lock' },
];
const configurations: Record<string, Json>[] = [
  {
    cniVersion: '1.0.0',
    cniVersions: ['0.4.0', '1.1.0'],
    name: 'net',
    disableCheck: 'true',
    plugins: [
      { type: 'bridge', ipam: { type: 'host-local', ranges: [[{ subnet: '10.0.0.0/24' }]] }, '10': 1, '2': [1e300] },
      { type: 'portmap', capabilities: { portMappings: true, mac: false } },
    ],
  },
  { cniVersion: '0.3.1', name: 'net', type: 'ptp', prevResult: null },
  { cniVersion: '1.1.0', name: 'net', loadOnlyInlinedPlugins: false },
];
const capabilityArgs = { portMappings: [], aliases: ['a'] };

function checkConfiguration(text: string): void {
  const file = { name: '10-net.conflist', text };
  const dropIns = () => [{ name: 'a.conf', text: '{"type":"tuning"}' }];
  const { networks, problems } = chooseNetworks({ files: [file], dropIns });
  promiseSame(networks.length + problems.length, 1, 'the files that are networks or problems');
  for (const { error } of problems) promiseDocumented(error, [cniErrorCodes.invalidConfiguration], 'parseNetwork');
  for (const network of networks) {
    promisePlain(network, 'the network');
    promiseSame(parseNetwork({ name: file.name, text: network.json }), network, 'the network that its complete form gives');
    for (const plugin of network.plugins) {
      const input = pluginInput(network, plugin, { capabilityArgs });
      const value = JSON.parse(input) as Record<string, unknown>;
      promiseSame([value.cniVersion, value.name, value.type], [network.cniVersion, network.name, plugin.type], 'the input of the plugin');
    }
    const entry = { containerId: 'c1', ifName: 'eth0', netns: '', network, args: [], capabilityArgs };
    const name = cacheEntryName(network.name, 'c1', 'eth0');
    promiseSame(decodeCacheEntry(name, encodeCacheEntry(entry)), entry, 'the cache entry');
  }
}

async function checkResult(text: string): Promise<void> {
  const result = await resultUnless([cniErrorCodes.invalidResult], 'parseResult', () => parseResult(text, '1.0.0'));
  if (result === undefined) return;
  promisePlain(result, 'the result');
  promise(podIPsOf(result).length <= (result.ips?.length ?? 0), 'more addresses than the result has');
  for (const version of cniVersions) {
    const written = resultJson(result, version);
    promisePlain(written, `the result of ${version}`);
    const once = parseResult(JSON.stringify(written), version);
    promiseSame(parseResult(JSON.stringify(resultJson(once, version)), version), once, `the result of ${version}, read twice`);
  }
}

/** A damaged cache entry is refused, whatever the error. */
function checkCacheEntry(text: string): void {
  try {
    promiseSame(decodeCacheEntry('net-c1-eth0', text).containerId, 'c1', 'the container of the entry');
  } catch (error) {
    promise(error instanceof Error && errorCode(error) !== 'ERR_INTERNAL_ASSERTION', String(error));
  }
}

async function checkServed(stdin: string): Promise<void> {
  const env = { CNI_COMMAND: 'ADD', CNI_CONTAINERID: 'c1', CNI_NETNS: '/ns', CNI_IFNAME: 'eth0' };
  const { exitCode, stdout } = await answerCniCall({ add: ({ prevResult }) => prevResult ?? {} }, { env, stdin });
  const answer = JSON.parse(stdout) as { code?: unknown; msg?: unknown };
  promiseSame(exitCode === 0, answer.code === undefined, 'whether the plugin failed');
  if (exitCode === 0) parseResult(stdout, '1.0.0');
  else promise(Number.isInteger(answer.code) && typeof answer.msg === 'string', stdout);
}

export const cniTexts = fuzzTarget({
  name: 'cni-texts',
  promise: 'CNI configurations, results, cache entries and inputs of plugins are read to what they write again, or give documented errors',
  runs: 2_500,
  inputs: fc.record({
    kind: fc.constantFrom('configuration', 'result', 'entry', 'input'),
    value: fc.oneof(
      mutatedJson(configurations),
      mutatedJson(results),
      mutatedJson([{ cniVersion: '1.0.0', name: 'net', type: 'ptp', prevResult: results[0] ?? null }]),
    ),
    end: fc.constantFrom(0, 0, 0, -1, -7),
  }),
  async check({ kind, value, end }) {
    const text = jsonText(value).slice(0, end === 0 ? undefined : end);
    if (kind === 'configuration') checkConfiguration(text);
    else if (kind === 'result') await checkResult(text);
    else if (kind === 'entry') checkCacheEntry(text);
    else await checkServed(text);
  },
});
