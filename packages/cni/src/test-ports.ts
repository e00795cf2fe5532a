import type { TextStore } from './attach/result-cache.js';
import type { CniOptions } from './cni.js';
import { parseNetwork } from './config/parse-network.js';
import { createCni } from './create-cni.js';
import { fixedNetworks } from './network-source.js';
import type { PluginCall, PluginOutput } from './plugin/run-plugin.js';
import type { NetworkNamespaces } from './pod-networks.js';

/** A folder in memory, of tests. */
function memoryTexts(): TextStore & { texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    names: async () => [...texts.keys()],
    read: async (name) => texts.get(name),
    write: async (name, text) => void texts.set(name, text),
    remove: async (name) => void texts.delete(name),
  };
}

export const output = (stdout: unknown, exitCode = 0): PluginOutput => ({
  exitCode,
  stdout: typeof stdout === 'string' ? stdout : JSON.stringify(stdout),
  stderr: '',
});

/** A plugin program of tests: undefined stands for success, with a result for ADD. */
export type FakePlugin = (
  call: PluginCall & { input: Record<string, unknown> },
  signal: AbortSignal,
) => PluginOutput | undefined | Promise<PluginOutput>;

/** A manager whose plugins are functions, with the calls as `COMMAND plugin container`. */
export function fakeCni(options: { config?: object; plugin?: FakePlugin } & Partial<CniOptions> = {}) {
  const { config = listOf('a', 'b'), plugin = () => undefined, ...rest } = options;
  const calls: string[] = [];
  const inputs: Record<string, unknown>[] = [];
  const [results, attempts] = [memoryTexts(), memoryTexts()];
  const networks = fixedNetworks([parseNetwork({ name: 'test', text: JSON.stringify(config) })]);
  const orphans: string[][] = [];
  const cni = createCni({
    networks,
    results,
    attempts,
    plugins: {
      async run(call, signal) {
        const input = JSON.parse(call.stdin) as Record<string, unknown>;
        calls.push([call.env.CNI_COMMAND, call.plugin, call.env.CNI_CONTAINERID].filter(Boolean).join(' '));
        inputs.push(input);
        const answer = await plugin({ ...call, input }, signal);
        return answer ?? output(call.env.CNI_COMMAND === 'ADD' ? { cniVersion: input.cniVersion, ips: [{ address: '10.0.0.2/24' }] } : '');
      },
      endOrphans: async (ids) => void orphans.push([...ids].sort()),
    },
    ...rest,
  });
  return { cni, calls, inputs, results, attempts, orphans };
}

export const listOf = (...types: string[]) => ({ cniVersion: '1.1.0', name: 'net', plugins: types.map((type) => ({ type })) });

/** Namespaces in memory. */
export function memoryNamespaces(): NetworkNamespaces & { names: Set<string>; bound: Map<string, string> } {
  const names = new Set<string>();
  const bound = new Map<string, string>();
  return {
    names,
    bound,
    async create(containerId, _signal, existing) {
      if (names.has(containerId)) throw new Error('it exists');
      names.add(containerId);
      if (existing !== undefined) bound.set(containerId, existing);
      return `/ns/${containerId}`;
    },
    find: async (containerId) => (names.has(containerId) ? `/ns/${containerId}` : undefined),
    remove: async (containerId) => void names.delete(containerId),
    list: async () => [...names],
  };
}
