import { invalidOption, NodeAgentError } from '@nodeagent/api';
import { defaultNodeName, isObject } from '@nodeagent/api/helpers';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import type { HostlessOptions } from './agent-context.js';
import { reserveCpus } from './cluster/reserved-cpus.js';
import { coreErrorCodes } from './errors.js';
import type { NodeHost } from './host/node-host.js';
import type { NodeAgentOptions } from './node-agent-options.js';
import type { CriServices } from './options/cri-services.js';

/** The options of `createNodeAgent` of either entry. */
export type GivenOptions = Omit<NodeAgentOptions, 'host'> & { host?: Partial<NodeHost> };

/** Answers of an agent without a CRI: it has no containers and no images. */
const answers: Partial<RuntimeService & ImageService> = {
  listContainers: async () => ({ containers: [] }),
  listPodSandbox: async () => ({ items: [] }),
  listContainerStats: async () => ({ stats: [] }),
  listPodSandboxStats: async () => ({ stats: [] }),
  listImages: async () => ({ images: [] }),
};

/** Answers the lists above; every other call rejects with `NotSupported`. */
function serviceWithoutCri<Service extends object>(): Service {
  return new Proxy(answers as Service, {
    get: (target, method) =>
      Reflect.get(target, method) ??
      (() => Promise.reject(new NodeAgentError(coreErrorCodes.notSupported, `cannot call ${String(method)}: the agent has no CRI`))),
  });
}

/** For an agent whose runtime does not use CRI. */
const noCri: CriServices = { runtime: serviceWithoutCri<RuntimeService>(), image: serviceWithoutCri<ImageService>() };

/**
 * The options with the defaults of `nodeName` and `sources`. Without CRI, container events and image garbage collection by disk usage are off,
 * and eviction too unless the options set it. Throws `InvalidOption` for options with neither `cri` nor `parts.runtime`.
 */
export function completeOptions(all: GivenOptions): HostlessOptions {
  const { cri, parts, ...others } = withoutUndefined(all);
  const given = withReservedCpus(others);
  const options = { ...given, nodeName: given.nodeName ?? defaultNodeName(), sources: given.sources ?? [] };
  if (cri !== undefined) return { ...options, cri };
  if (parts?.runtime === undefined) throw invalidOption('cri', 'set, unless parts.runtime is', cri);
  const settings = { evented: 'off', imageGCHighThresholdPercent: 100, ...options.settings } as const;
  return { eviction: false, ...options, settings, cri: noCri };
}

/** Groups of options. */
const groups: ReadonlySet<string> = new Set<keyof NodeAgentOptions>([
  'settings',
  'node',
  'volumes',
  'eviction',
  'resourceManagers',
  'shutdown',
  'imageSettings',
  'runtimeOptions',
  'server',
]);

/** Without options that are undefined, which count as absent. */
function withoutUndefined<Options extends object>(options: Options): Options {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([name, value]) => [name, groups.has(name) && isObject(value) ? withoutUndefined(value) : value]),
  ) as Options;
}

/** `reservedSystemCPUs` replaces the CPUs that `systemReserved` and `kubeReserved` reserve, as in the kubelet. */
function withReservedCpus<O extends Pick<NodeAgentOptions, 'node' | 'resourceManagers'>>(options: O): O {
  const { node = {}, resourceManagers } = options;
  const reserved = resourceManagers?.reservedSystemCPUs;
  if (!reserved) return options;
  return { ...options, node: { ...node, ...reserveCpus(node, reserved) } };
}
