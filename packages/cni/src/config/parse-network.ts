import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { isObject, quoteText } from '@nodeagent/api/helpers';
import { cniErrorCodes } from '../errors.js';
import type { CniNetwork, CniPluginConfig } from '../types.js';
import { type CniVersion, cniVersions, highestVersion } from '../versions.js';
import { jsonItems, jsonMembers, jsonObject } from './json-members.js';

/** A configuration file: its name, which the errors give, and its text. */
export interface ConfigurationFile {
  name: string;
  text: string;
}

const networkName = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
/** Nesting above this is refused: JSON.parse and plugins of other languages accept less than the text could have. */
const maxDepth = 200;

/**
 * Reads a configuration list (`.conflist`), or a single plugin (`.conf`, `.json`) as a list. Unknown members stay, unchanged and in their order.
 * Throws `InvalidCniConfiguration` naming the file and the field. CNI specification, "Network configuration format".
 *
 * @param dropIns - the plugins of the network's folder (`net.d/NAME/*.conf`), by file name; unused with `loadOnlyInlinedPlugins` and for
 * a single plugin
 */
export function parseNetwork(file: ConfigurationFile, dropIns: readonly ConfigurationFile[] = []): CniNetwork {
  const value = parseObject(file);
  if (!isConfigurationList(value)) return networkOf(file, wrapPlugin(file.text, value), value);
  if (value.plugins !== undefined && !Array.isArray(value.plugins)) throw invalid(file.name, 'plugins', 'must be a list');
  const members = new Map(jsonMembers(file.text));
  const inlined = value.plugins === undefined ? [] : jsonItems(members.get('plugins') ?? '');
  const loaded = flag(file.name, value, 'loadOnlyInlinedPlugins') ? [] : dropIns.toSorted(byName).map(dropInOf);
  members.set('plugins', `[${[...inlined, ...loaded].join(',')}]`);
  return networkOf(file, members, value);
}

/** Whether the object is a list: other files are single plugins. */
export const isConfigurationList = (value: Readonly<Record<string, unknown>>): boolean =>
  value.plugins !== undefined || value.type === undefined;

/** By bytes, as the files of the folder are sorted. */
const byName = (a: ConfigurationFile, b: ConfigurationFile) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

function dropInOf(file: ConfigurationFile): string {
  parseObject(file);
  return file.text.trim();
}

/** The list of one plugin. `cniVersion` and `name` stay in the plugin, where they do not count. */
function wrapPlugin(text: string, value: Readonly<Record<string, unknown>>): Map<string, string> {
  const members = new Map<string, string>();
  for (const name of ['cniVersion', 'name']) if (value[name] !== undefined) members.set(name, JSON.stringify(value[name]));
  return members.set('plugins', `[${text.trim()}]`);
}

function networkOf(file: ConfigurationFile, members: Map<string, string>, value: Readonly<Record<string, unknown>>): CniNetwork {
  const { name } = value;
  if (typeof name !== 'string' || !networkName.test(name)) {
    throw invalid(file.name, 'name', `must be letters, digits, "_", "." or "-", beginning with a letter or digit, got ${shown(name)}`);
  }
  const plugins = jsonItems(members.get('plugins') ?? '').map((text, index) => pluginOf(file.name, text, `plugins[${index}]`));
  if (plugins.length === 0) throw invalid(file.name, 'plugins', 'must have at least one plugin');
  return {
    name,
    cniVersion: versionOf(file.name, value),
    disableCheck: flag(file.name, value, 'disableCheck'),
    disableGC: flag(file.name, value, 'disableGC'),
    plugins,
    // What the list has loaded from its folder is in it: a second reading must not load it twice.
    json: jsonObject(members.set('loadOnlyInlinedPlugins', 'true')),
  };
}

/** The highest common version of `cniVersion` and `cniVersions`. Files without one are of 0.1.0. */
function versionOf(file: string, { cniVersion, cniVersions: others = [] }: Readonly<Record<string, unknown>>): CniVersion {
  if (!Array.isArray(others) || others.some((version) => typeof version !== 'string'))
    throw invalid(file, 'cniVersions', 'must be a list of strings');
  if (cniVersion !== undefined && typeof cniVersion !== 'string') throw invalid(file, 'cniVersion', 'must be a string');
  const listed = [...(cniVersion === undefined ? [] : [cniVersion]), ...others] as string[];
  const version = highestVersion(listed.length === 0 ? ['0.1.0'] : listed);
  if (version !== undefined) return version;
  throw invalid(file, 'cniVersion', `has none of the supported versions ${cniVersions.join(', ')}: ${listed.map(quoteText).join(', ')}`);
}

function pluginOf(file: string, text: string, path: string): CniPluginConfig {
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) throw invalid(file, path, 'must be an object');
  const { type, capabilities = {} } = value;
  if (typeof type !== 'string' || !/^[^/\\\0]+$/.test(type) || type === '.' || type === '..')
    throw invalid(file, `${path}.type`, `must be the name of a plugin without a path, got ${shown(type)}`);
  const reserved = Object.keys(value).find((name) => name === 'runtimeConfig' || name === 'args' || name.startsWith('cni.dev/'));
  if (reserved !== undefined) throw invalid(file, `${path}.${reserved}`, 'is reserved for the runtime');
  if (!isObject(capabilities)) throw invalid(file, `${path}.capabilities`, 'must be an object');
  const declared = Object.entries(capabilities);
  if (declared.some(([, has]) => typeof has !== 'boolean'))
    throw invalid(file, `${path}.capabilities`, 'must have true or false for each name');
  return { type, capabilities: declared.flatMap(([name, has]) => (has ? [name] : [])), members: jsonMembers(text) };
}

/** True or false; the reference library also accepts the strings. */
function flag(file: string, value: Readonly<Record<string, unknown>>, name: string): boolean {
  const given = value[name] ?? false;
  if (given === true || given === 'true') return true;
  if (given === false || given === 'false') return false;
  throw invalid(file, name, `must be true or false, got ${shown(given)}`);
}

/** The JSON object of a file. */
function parseObject({ name, text }: ConfigurationFile): Record<string, unknown> {
  if (depthOf(text) > maxDepth) throw invalid(name, '', `is nested deeper than ${maxDepth} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid(name, '', `is not JSON: ${errorMessage(cause)}`, cause);
  }
  if (!isObject(value)) throw invalid(name, '', 'must be a JSON object');
  return value;
}

/** An upper limit: brackets within strings count too. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of text) {
    if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth--;
  }
  return deepest;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}

function invalid(file: string, field: string, problem: string, cause?: unknown): NodeAgentError {
  const message = `network configuration ${quoteText(file)}: ${field === '' ? '' : `${field} `}${problem}`;
  return new NodeAgentError(cniErrorCodes.invalidConfiguration, message, {
    details: { file, field },
    ...(cause === undefined ? {} : { cause }),
  });
}
