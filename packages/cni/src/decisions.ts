/**
 * Pure functions of CNI: configurations, results of all versions, arguments of plugins, cache entries.
 *
 * @packageDocumentation
 */
export { type CacheEntry, cacheEntryName, decodeCacheEntry, encodeCacheEntry } from './attach/cache-entry.js';
export { checkAttachment } from './attach/check-attachment.js';
export { type PodNetworkConfig, podArgs, podBandwidth, podCapabilities } from './attach/pod-args.js';
export { type ConfigurationFiles, chooseNetworks, isConfigurationName, type Networks, notReadyMessage } from './config/choose-networks.js';
export { type ConfigurationFile, parseNetwork } from './config/parse-network.js';
export { type PluginInputParts, pluginInput } from './config/plugin-input.js';
export { answerCniCall, type PluginAnswer, type PluginProcessInput } from './plugin/answer-call.js';
export { cniCodes, type FailedCall, pluginFailure } from './plugin/plugin-failure.js';
export { parseResult } from './result/parse-result.js';
export { podIPsOf } from './result/pod-ips.js';
export { resultJson } from './result/result-json.js';
export { type CniVersion, cniVersions, highestVersion, isSince } from './versions.js';
