import { invalidOption, NodeAgentError } from '@nodeagent/api';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import { coreErrorCodes } from './errors.js';
import type { NodeAgentOptions } from './node-agent-options.js';
import type { AgentOptions } from './options/agent-options.js';
import type { CriServices } from './options/cri-services.js';

/** What the parts of an agent ask a CRI for beside its runtime. Without one there are no containers and images that it would know. */
const answers: Partial<RuntimeService & ImageService> = {
  listContainers: async () => ({ containers: [] }),
  listPodSandbox: async () => ({ items: [] }),
  listContainerStats: async () => ({ stats: [] }),
  listPodSandboxStats: async () => ({ stats: [] }),
  listImages: async () => ({ images: [] }),
};

/** Answers what can be answered without a runtime; every other call rejects with `NotSupported`. */
function refusing<Service extends object>(): Service {
  return new Proxy(answers as Service, {
    get: (target, method) =>
      Reflect.get(target, method) ??
      (() => Promise.reject(new NodeAgentError(coreErrorCodes.notSupported, `the agent has no CRI to call ${String(method)} of`))),
  });
}

/** For an agent whose pods are run by a runtime that is not behind the CRI. */
const noCri: CriServices = { runtime: refusing<RuntimeService>(), image: refusing<ImageService>() };

/**
 * The options of an agent without a CRI: what looks at the images and the disk of a CRI is off unless the options say otherwise. Throws
 * `InvalidOption` for options with neither `cri` nor `parts.runtime`.
 */
export function withCri({ cri, ...options }: NodeAgentOptions): AgentOptions {
  if (cri !== undefined) return { ...options, cri };
  if (options.parts?.runtime === undefined) throw invalidOption('cri', 'given, or parts.runtime', cri);
  const settings = { evented: 'off', imageGCHighThresholdPercent: 100, ...options.settings } as const;
  return { eviction: false, ...options, settings, cri: noCri };
}
