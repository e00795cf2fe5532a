import { decodeBase64, decodeUtf8, encodeBase64, encodeUtf8, isObject } from '@nodeagent/api/helpers';
import { parseNetwork } from '../config/parse-network.js';
import { resultOf } from '../result/parse-result.js';
import { resultJson } from '../result/result-json.js';
import type { CapabilityArgs, CniNetwork, CniResult } from '../types.js';

/** What the runtime keeps of an attachment, so that DEL and CHECK call the plugins as ADD did, whatever the folder has by then. */
export interface CacheEntry {
  containerId: string;
  ifName: string;
  netns: string;
  network: CniNetwork;
  args: readonly (readonly [name: string, value: string])[];
  capabilityArgs: CapabilityArgs;
  /** Absent until ADD has succeeded. */
  result?: CniResult;
}

/** The name of an attachment's file in the cache. */
export const cacheEntryName = (network: string, containerId: string, ifName: string): string => `${network}-${containerId}-${ifName}`;

/** A cache entry in the form of the CNI reference library, `cniCacheV1`. */
export function encodeCacheEntry({ network, result, args, ...entry }: CacheEntry): string {
  return JSON.stringify({
    kind: 'cniCacheV1',
    containerId: entry.containerId,
    config: encodeBase64(encodeUtf8(network.json)),
    ifName: entry.ifName,
    networkName: network.name,
    netns: entry.netns,
    cniArgs: args,
    capabilityArgs: entry.capabilityArgs,
    ...(result && { result: resultJson(result, result.cniVersion) }),
  });
}

/** Throws if the text is not a cache entry of this name. Accepts entries of the reference library, where lists may be null. */
export function decodeCacheEntry(name: string, text: string): CacheEntry {
  const value: unknown = JSON.parse(text);
  if (!isObject(value) || value.kind !== 'cniCacheV1') throw new Error('it is not a cache entry of kind cniCacheV1');
  const { containerId, config, ifName, networkName, netns, cniArgs, capabilityArgs, result } = value;
  if (typeof containerId !== 'string' || typeof ifName !== 'string' || typeof config !== 'string')
    throw new Error('containerId, ifName and config must be strings');
  const network = parseNetwork({ name, text: decodeUtf8(decodeBase64(config)) });
  if (cacheEntryName(String(networkName), containerId, ifName) !== name || network.name !== networkName)
    throw new Error('it is the entry of another attachment');
  return {
    containerId,
    ifName,
    netns: typeof netns === 'string' ? netns : '',
    network,
    args: argsOf(cniArgs),
    capabilityArgs: isObject(capabilityArgs) ? capabilityArgs : {},
    ...(result !== undefined && result !== null && { result: resultOf(result, network.cniVersion) }),
  };
}

function argsOf(value: unknown): [string, string][] {
  if (value === undefined || value === null) return [];
  const isPair = (each: unknown) => Array.isArray(each) && each.length === 2 && each.every((part) => typeof part === 'string');
  if (!Array.isArray(value) || !value.every(isPair)) throw new Error('cniArgs must be a list of pairs of strings');
  return value as [string, string][];
}
