import { errorMessage } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { validAttachmentsKeys } from '../config/plugin-input.js';
import { resultOf } from '../result/parse-result.js';
import { resultJson } from '../result/result-json.js';
import type { CapabilityArgs, CniResult } from '../types.js';
import { type CniVersion, cniVersions, isCniVersion } from '../versions.js';
import { cniCodes } from './plugin-failure.js';

/** What a plugin gets of a call. */
export interface ServedCall {
  containerId: string;
  /** Path of the network namespace; empty if it no longer exists, which DEL must accept. */
  netns: string;
  ifName: string;
  /** `CNI_ARGS`. */
  args: Readonly<Record<string, string>>;
  /** The folders of `CNI_PATH`, where a plugin finds others that it delegates to. */
  path: readonly string[];
  /** The plugin's configuration, as it came. */
  config: Readonly<Record<string, unknown>> & { cniVersion: CniVersion; name: string; type: string };
  /** The values for the capabilities that the configuration declares. */
  runtimeConfig: CapabilityArgs;
  /** The result of the previous plugin for ADD, of the whole chain for DEL and CHECK. */
  prevResult?: CniResult;
}

/** What GC gets. */
export interface ServedCollection extends Pick<ServedCall, 'config' | 'path'> {
  validAttachments: readonly { containerID: string; ifname: string }[];
}

/** A plugin. An absent handler does nothing; `add` without one passes the previous result on. A handler fails by throwing: see {@link pluginError}. */
export interface CniPlugin {
  /** Default: all from 0.3.0. */
  supportedVersions?: readonly CniVersion[];
  /** Returns the attachment's result: in a chain the previous one with what this plugin adds. */
  add?(call: ServedCall): CniResultInput | Promise<CniResultInput>;
  del?(call: ServedCall): void | Promise<void>;
  check?(call: ServedCall): void | Promise<void>;
  status?(call: Pick<ServedCall, 'config' | 'path'>): void | Promise<void>;
  gc?(call: ServedCollection): void | Promise<void>;
}

/** A result without its version, which is that of the call. */
export type CniResultInput = Omit<CniResult, 'cniVersion'>;

/** Everything that a plugin's process is given. */
export interface PluginProcessInput {
  env: Readonly<Record<string, string | undefined>>;
  stdin: string;
}

/** What it answers. */
export interface PluginAnswer {
  exitCode: number;
  stdout: string;
}

/** An error with a code of the CNI specification: 1 to 99, or 100 and above for the plugin's own. Without one the code is 999. */
export const pluginError = (code: number, message: string, details = ''): Error =>
  Object.assign(new Error(message), { cniCode: code, cniDetails: details });

/** Answers one call of a plugin. CNI specification, "Execution protocol". */
export async function answerCniCall(plugin: CniPlugin, input: PluginProcessInput): Promise<PluginAnswer> {
  let cniVersion: CniVersion = '1.0.0';
  try {
    const config = configOf(input.stdin);
    if (isCniVersion(config.cniVersion)) cniVersion = config.cniVersion;
    return { exitCode: 0, stdout: await answer(plugin, input.env, config) };
  } catch (error) {
    const { cniCode: code = cniCodes.internal, cniDetails: details = '' } = error as { cniCode?: number; cniDetails?: string };
    return { exitCode: 1, stdout: JSON.stringify({ cniVersion, code, msg: errorMessage(error), ...(details && { details }) }) };
  }
}

async function answer(plugin: CniPlugin, env: PluginProcessInput['env'], config: Record<string, unknown>): Promise<string> {
  const { supportedVersions = cniVersions.slice(cniVersions.indexOf('0.3.0')) } = plugin;
  const { cniVersion = '0.1.0' } = config;
  const command = env.CNI_COMMAND;
  if (command === 'VERSION') return JSON.stringify({ cniVersion, supportedVersions });
  if (!isCniVersion(cniVersion) || !supportedVersions.includes(cniVersion))
    throw pluginError(
      cniCodes.incompatibleVersion,
      'incompatible CNI versions',
      `config is "${cniVersion}", plugin supports ${supportedVersions}`,
    );
  if (typeof config.name !== 'string' || typeof config.type !== 'string')
    throw pluginError(cniCodes.invalidNetworkConfig, 'the configuration has no name or no type');
  const common = { config: { ...config, cniVersion, name: config.name, type: config.type }, path: pathOf(env) };
  switch (command) {
    case 'ADD': {
      const call = callOf(env, common);
      const added = (await plugin.add?.(call)) ?? call.prevResult ?? {};
      return JSON.stringify(resultJson(resultOf({ ...added, cniVersion: '1.1.0' }, '1.1.0'), cniVersion));
    }
    case 'DEL':
      await plugin.del?.(callOf(env, common));
      return '';
    case 'CHECK':
      await plugin.check?.(callOf(env, common));
      return '';
    case 'STATUS':
      await plugin.status?.(common);
      return '';
    case 'GC':
      await plugin.gc?.({ ...common, validAttachments: attachmentsOf(config) });
      return '';
    default:
      throw pluginError(cniCodes.invalidEnvironment, `unknown CNI_COMMAND: ${command}`);
  }
}

function callOf(env: PluginProcessInput['env'], common: Pick<ServedCall, 'config' | 'path'>): ServedCall {
  const { CNI_CONTAINERID: containerId = '', CNI_NETNS: netns = '', CNI_IFNAME: ifName = '', CNI_ARGS: args = '' } = env;
  const { prevResult, runtimeConfig } = common.config;
  const required = { CNI_CONTAINERID: containerId, CNI_IFNAME: ifName, ...(env.CNI_COMMAND === 'DEL' ? {} : { CNI_NETNS: netns }) };
  const missing = Object.entries(required).flatMap(([name, value]) => (value === '' ? [name] : []));
  if (missing.length > 0) throw pluginError(cniCodes.invalidEnvironment, `required env variables [${missing.join(',')}] missing`);
  return {
    ...common,
    containerId,
    netns,
    ifName,
    args: argsOf(args),
    runtimeConfig: isObject(runtimeConfig) ? runtimeConfig : {},
    ...(isObject(prevResult) && { prevResult: previousOf(prevResult, common.config.cniVersion) }),
  };
}

function argsOf(text: string): Record<string, string> {
  const pairs = text.split(';').filter((pair) => pair !== '');
  const invalid = pairs.find((pair) => !pair.includes('='));
  if (invalid !== undefined) throw pluginError(cniCodes.invalidEnvironment, `invalid CNI_ARGS pair "${invalid}"`);
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

function previousOf(value: unknown, cniVersion: CniVersion): CniResult {
  try {
    return resultOf(value, cniVersion);
  } catch (error) {
    throw pluginError(cniCodes.decodingFailure, 'could not parse prevResult', errorMessage(error));
  }
}

function configOf(stdin: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(stdin);
  } catch (error) {
    throw pluginError(cniCodes.decodingFailure, 'failed to decode the network configuration', errorMessage(error));
  }
  if (!isObject(value)) throw pluginError(cniCodes.decodingFailure, 'the network configuration must be an object');
  return value;
}

const pathOf = ({ CNI_PATH: path = '' }: PluginProcessInput['env']) => path.split(':').filter((folder) => folder !== '');

function attachmentsOf(config: Readonly<Record<string, unknown>>): { containerID: string; ifname: string }[] {
  const name = validAttachmentsKeys.find((key) => config[key] !== undefined && config[key] !== null);
  if (name === undefined) return [];
  const value = config[name];
  const isAttachment = (each: unknown) => isObject(each) && typeof each.containerID === 'string' && typeof each.ifname === 'string';
  if (!Array.isArray(value) || !value.every(isAttachment))
    throw pluginError(cniCodes.decodingFailure, `${name} must be a list of attachments`);
  return value;
}
