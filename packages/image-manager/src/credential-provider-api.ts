import { isObject, NodeAgentError, parseDuration } from '@nodeagent/api';
import type { CredentialProviderPlugin } from './credential-provider-config.js';
import type { RegistryAuth } from './credentials.js';
import { imageErrorCodes } from './errors.js';

/** What a plugin is told of a pod's service account. */
export interface PluginServiceAccount {
  token: string;
  annotations: Readonly<Record<string, string>>;
}

/** What a plugin answered. */
export interface PluginAnswer {
  /** For which images the answer counts: this one, all of its registry, or all. */
  cacheKeyType: 'Image' | 'Registry' | 'Global';
  /** How long, in milliseconds; not positive: only once. */
  cacheMs: number;
  /** Logins by address. */
  auth: ReadonlyMap<string, RegistryAuth>;
}

/** The `CredentialProviderRequest` that a plugin reads. */
export function pluginRequest({ apiVersion }: CredentialProviderPlugin, image: string, account?: PluginServiceAccount): string {
  return JSON.stringify({
    kind: 'CredentialProviderRequest',
    apiVersion,
    image,
    ...(account && { serviceAccountToken: account.token, serviceAccountAnnotations: account.annotations }),
  });
}

/**
 * Reads a `CredentialProviderResponse`. Throws `CredentialProviderFailed`; the message never quotes the answer.
 * Kubernetes documentation, "Kubelet CredentialProvider (v1)".
 */
export function parsePluginAnswer({ name, apiVersion, defaultCacheMs }: CredentialProviderPlugin, output: string): PluginAnswer {
  const refuse = (rule: string): never => {
    throw new NodeAgentError(imageErrorCodes.credentialProviderFailed, `credential provider plugin ${name}: its answer ${rule}`);
  };
  const answer = parseJson(output);
  if (!isObject(answer)) return refuse('is not a JSON object');
  if (answer.kind !== 'CredentialProviderResponse') return refuse('is not a CredentialProviderResponse');
  if (answer.apiVersion !== apiVersion) return refuse(`has another apiVersion than ${apiVersion}`);
  const { cacheKeyType, cacheDuration, auth } = answer;
  if (cacheKeyType !== 'Image' && cacheKeyType !== 'Registry' && cacheKeyType !== 'Global') {
    return refuse('has no cacheKeyType of Image, Registry or Global');
  }
  let cacheMs: number | undefined = defaultCacheMs;
  if (cacheDuration !== undefined && cacheDuration !== null) {
    cacheMs = typeof cacheDuration === 'string' ? parseDuration(cacheDuration) : undefined;
  }
  if (cacheMs === undefined) return refuse('has a cacheDuration that is no duration');
  if (auth !== undefined && auth !== null && !isObject(auth)) return refuse('has an auth that is not an object');
  const logins = new Map<string, RegistryAuth>();
  for (const [address, login] of Object.entries(auth ?? {})) {
    const { username = '', password = '' } = isObject(login) ? login : { username: undefined, password: null };
    if (typeof username !== 'string' || typeof password !== 'string') return refuse('has a login without username and password');
    logins.set(address, { username, password });
  }
  return { cacheKeyType, cacheMs, auth: logins };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
