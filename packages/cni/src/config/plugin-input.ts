import { resultJson } from '../result/result-json.js';
import type { CapabilityArgs, CniNetwork, CniPluginConfig, CniResult } from '../types.js';
import { jsonObject } from './json-members.js';

/** What a call adds to a plugin's configuration. */
export interface PluginInputParts {
  capabilityArgs?: CapabilityArgs | undefined;
  /** The result of the previous plugin, or the attachment's; the plugin gets it in its version. */
  prevResult?: CniResult | undefined;
  /** Only for GC. */
  validAttachments?: readonly { containerID: string; ifname: string }[];
}

/** Members that the runtime sets. */
const replaced = new Set(['cniVersion', 'name', 'capabilities', 'prevResult']);

/**
 * The list of GC. The text of CNI 1.1.0 as released has the second name; later editions of the same version, and the reference library, have the
 * first. A plugin that does not find its own may take every attachment for a stale one.
 */
export const validAttachmentsKeys = ['cni.dev/valid-attachments', 'cni.dev/attachments'] as const;

/**
 * The JSON text on a plugin's standard input: its configuration with `cniVersion` and `name` of the network, `runtimeConfig` (the values for the
 * capabilities that it declares), and `prevResult`. CNI specification, "Deriving request configuration from plugin configuration".
 */
export function pluginInput(
  network: Pick<CniNetwork, 'name' | 'cniVersion'>,
  plugin: CniPluginConfig,
  parts: PluginInputParts = {},
): string {
  const { capabilityArgs = {}, prevResult, validAttachments } = parts;
  const runtimeConfig = plugin.capabilities.flatMap((name) => {
    const json = Object.hasOwn(capabilityArgs, name) ? JSON.stringify(capabilityArgs[name]) : undefined;
    return json === undefined ? [] : [[name, json] as const];
  });
  return jsonObject([
    ['cniVersion', JSON.stringify(network.cniVersion)],
    ['name', JSON.stringify(network.name)],
    ...plugin.members.filter(([name]) => !replaced.has(name)),
    ...(runtimeConfig.length === 0 ? [] : [['runtimeConfig', jsonObject(runtimeConfig)] as const]),
    ...(prevResult === undefined ? [] : [['prevResult', JSON.stringify(resultJson(prevResult, network.cniVersion))] as const]),
    ...(validAttachments === undefined ? [] : validAttachmentsKeys.map((name) => [name, JSON.stringify(validAttachments)] as const)),
  ]);
}
