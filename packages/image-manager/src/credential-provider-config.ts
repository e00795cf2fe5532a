import { NodeAgentError } from '@nodeagent/api';
import { isObject, parseDuration, qualifiedNameProblems } from '@nodeagent/api/helpers';
import { imageErrorCodes } from './errors.js';
import { parseRegistryUrl } from './registry-url.js';

/** How a credential provider plugin gets a service account's token (KEP-4412). */
export interface TokenAttributes {
  /** The audience of the token. */
  serviceAccountTokenAudience: string;
  /** The scope of cached credentials: a `ServiceAccount`, or a single `Token`. */
  cacheType: 'ServiceAccount' | 'Token';
  /** Whether the plugin is skipped for pods without a service account; if false it runs without a token. */
  requireServiceAccount: boolean;
  /** Annotations of the service account that the plugin gets; if one is missing, the plugin is skipped. Default none. */
  requiredServiceAccountAnnotationKeys?: readonly string[];
  /** Annotations that the plugin gets if the service account has them. Default none. */
  optionalServiceAccountAnnotationKeys?: readonly string[];
}

/** One plugin of a CredentialProviderConfig. */
export interface CredentialProviderPlugin {
  /** The name of its executable, in the folder of plugins. */
  name: string;
  /** Patterns of the images that it provides credentials for, as in a docker configuration. */
  matchImages: readonly string[];
  /** Cache duration if the plugin sets none, in milliseconds. */
  defaultCacheMs: number;
  /** The version of requests and responses: `credentialprovider.kubelet.k8s.io/v1`, or `/v1beta1`, `/v1alpha1`. */
  apiVersion: string;
  args: readonly string[];
  /** Added to the agent's environment. */
  env: Readonly<Record<string, string>>;
  tokenAttributes?: TokenAttributes;
}

const configVersions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `kubelet.config.k8s.io/${version}`);
const pluginVersions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `credentialprovider.kubelet.k8s.io/${version}`);

type Fields = Record<string, unknown>;

/**
 * The plugins of a parsed `CredentialProviderConfig` (`kubelet.config.k8s.io/v1`). Throws `InvalidCredentialProviderConfig` naming the
 * field, also for unknown fields.
 * Kubernetes documentation, "Configure a kubelet image credential provider".
 */
export function parseCredentialProviderConfig(value: unknown): CredentialProviderPlugin[] {
  const config = fields('', value, ['apiVersion', 'kind', 'providers']);
  check(config.kind === 'CredentialProviderConfig', 'kind', 'must be CredentialProviderConfig');
  check(configVersions.includes(config.apiVersion as string), 'apiVersion', `must be one of ${configVersions.join(', ')}`);
  check(Array.isArray(config.providers) && config.providers.length > 0, 'providers', 'must have at least one entry');
  const plugins = (config.providers as unknown[]).map((entry, index) => parsePlugin(`providers[${index}]`, entry));
  const names = new Set<string>();
  for (const [index, { name }] of plugins.entries()) {
    check(!names.has(name), `providers[${index}].name`, `must be unique, ${JSON.stringify(name)} is not`);
    names.add(name);
  }
  return plugins;
}

const pluginFields = ['name', 'matchImages', 'defaultCacheDuration', 'apiVersion', 'args', 'env', 'tokenAttributes'];

function parsePlugin(field: string, value: unknown): CredentialProviderPlugin {
  const plugin = fields(field, value, pluginFields);
  const name = text(`${field}.name`, plugin.name);
  check(!/[/\\\s\0]/.test(name) && name !== '.' && name !== '..', `${field}.name`, 'must be a plain file name');
  const apiVersion = text(`${field}.apiVersion`, plugin.apiVersion);
  check(pluginVersions.includes(apiVersion), `${field}.apiVersion`, `must be one of ${pluginVersions.join(', ')}`);
  const { tokenAttributes } = plugin;
  const usesTokens = tokenAttributes !== undefined && tokenAttributes !== null;
  check(!usesTokens || apiVersion === pluginVersions[0], `${field}.tokenAttributes`, `needs apiVersion ${pluginVersions[0]}`);
  return {
    name,
    matchImages: parseMatchImages(`${field}.matchImages`, plugin.matchImages),
    defaultCacheMs: parseCacheDuration(`${field}.defaultCacheDuration`, plugin.defaultCacheDuration),
    apiVersion,
    args: texts(`${field}.args`, plugin.args),
    env: parseEnv(`${field}.env`, plugin.env),
    ...(usesTokens && { tokenAttributes: parseTokenAttributes(`${field}.tokenAttributes`, tokenAttributes) }),
  };
}

function parseMatchImages(field: string, value: unknown): string[] {
  const patterns = texts(field, value);
  check(patterns.length > 0, field, 'must have at least one entry');
  for (const [index, pattern] of patterns.entries()) {
    let valid = pattern !== '';
    try {
      parseRegistryUrl(pattern);
    } catch {
      valid = false;
    }
    check(valid, `${field}[${index}]`, 'must be the address of a registry or image');
  }
  return patterns;
}

function parseCacheDuration(field: string, value: unknown): number {
  const ms = typeof value === 'string' ? parseDuration(value) : undefined;
  if (ms !== undefined && ms >= 0) return ms;
  throw invalid(field, 'must be a duration from 0s, such as 10m');
}

function parseEnv(field: string, value: unknown): Record<string, string> {
  return Object.fromEntries(
    list(field, value).map((entry, index) => {
      const variable = fields(`${field}[${index}]`, entry, ['name', 'value']);
      const name = text(`${field}[${index}].name`, variable.name);
      check(!/[=\0]/.test(name), `${field}[${index}].name`, 'must be the name of a variable');
      check(typeof variable.value === 'string', `${field}[${index}].value`, 'must be a string');
      return [name, variable.value as string];
    }),
  );
}

const tokenFields = [
  'serviceAccountTokenAudience',
  'cacheType',
  'requireServiceAccount',
  'requiredServiceAccountAnnotationKeys',
  'optionalServiceAccountAnnotationKeys',
];

function parseTokenAttributes(field: string, value: unknown): TokenAttributes {
  const attributes = fields(field, value, tokenFields);
  const { cacheType, requireServiceAccount } = attributes;
  if (cacheType !== 'ServiceAccount' && cacheType !== 'Token') throw invalid(`${field}.cacheType`, 'must be ServiceAccount or Token');
  if (typeof requireServiceAccount !== 'boolean') throw invalid(`${field}.requireServiceAccount`, 'must be true or false');
  const required = annotationKeys(`${field}.requiredServiceAccountAnnotationKeys`, attributes.requiredServiceAccountAnnotationKeys);
  const optional = annotationKeys(`${field}.optionalServiceAccountAnnotationKeys`, attributes.optionalServiceAccountAnnotationKeys);
  check(required.length === 0 || requireServiceAccount, `${field}.requiredServiceAccountAnnotationKeys`, 'needs requireServiceAccount');
  const both = optional.find((key) => required.includes(key));
  check(both === undefined, `${field}.optionalServiceAccountAnnotationKeys`, `must not repeat the required key ${both}`);
  return {
    serviceAccountTokenAudience: text(`${field}.serviceAccountTokenAudience`, attributes.serviceAccountTokenAudience),
    cacheType,
    requireServiceAccount,
    requiredServiceAccountAnnotationKeys: required,
    optionalServiceAccountAnnotationKeys: optional,
  };
}

function annotationKeys(field: string, value: unknown): string[] {
  const keys = texts(field, value);
  for (const [index, key] of keys.entries()) {
    check(qualifiedNameProblems(key).length === 0, `${field}[${index}]`, 'must be the key of an annotation');
    check(keys.indexOf(key) === index, `${field}[${index}]`, 'must not be repeated');
  }
  return keys;
}

function fields(field: string, value: unknown, known: readonly string[]): Fields {
  if (!isObject(value)) throw invalid(field, 'must be an object');
  for (const name of Object.keys(value)) check(known.includes(name), field === '' ? name : `${field}.${name}`, 'is not a known field');
  return value;
}

function list(field: string, value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid(field, 'must be a list');
  return value;
}

function texts(field: string, value: unknown): string[] {
  return list(field, value).map((entry, index) => {
    if (typeof entry !== 'string') throw invalid(`${field}[${index}]`, 'must be a string');
    return entry;
  });
}

function text(field: string, value: unknown): string {
  if (typeof value !== 'string' || value === '') throw invalid(field, 'must be a non-empty string');
  return value;
}

function check(valid: boolean, field: string, rule: string): void {
  if (!valid) throw invalid(field, rule);
}

/** The message has the field and the rule, never the value: variables may contain secrets. */
function invalid(field: string, rule: string): NodeAgentError {
  const message = `credential provider config: ${field === '' ? 'it' : field} ${rule}`;
  return new NodeAgentError(imageErrorCodes.invalidCredentialProviderConfig, message, { details: { field } });
}
