import { NodeAgentError } from '@nodeagent/api';
import { isObject, parseDuration } from '@nodeagent/api/helpers';
import type { CredentialProviderPlugin } from './credential-provider-config.js';
import type { RegistryAuth } from './credentials.js';
import { imageErrorCodes } from './errors.js';

/** The part of a plugin's request about the pod's service account. */
export interface PluginServiceAccount {
  token: string;
  annotations: Readonly<Record<string, string>>;
}

/** A plugin's response. */
export interface PluginAnswer {
  /** For which images the response is cached: this one, all of its registry, or all. */
  cacheKeyType: 'Image' | 'Registry' | 'Global';
  /** Cache duration in milliseconds; 0 or negative: not cached. */
  cacheMs: number;
  /** Credentials by registry address. */
  auth: ReadonlyMap<string, RegistryAuth>;
}

/** The `CredentialProviderRequest` that a plugin reads from stdin. */
export function pluginRequest({ apiVersion }: CredentialProviderPlugin, image: string, account?: PluginServiceAccount): string {
  return JSON.stringify({
    kind: 'CredentialProviderRequest',
    apiVersion,
    image,
    ...(account && { serviceAccountToken: account.token, serviceAccountAnnotations: account.annotations }),
  });
}

/**
 * Reads a `CredentialProviderResponse`. Throws `CredentialProviderFailed`; the message never contains the response.
 * Kubernetes documentation, "Kubelet CredentialProvider (v1)".
 */
export function parsePluginAnswer({ name, apiVersion, defaultCacheMs }: CredentialProviderPlugin, output: string): PluginAnswer {
  const refuse = (rule: string): never => {
    throw new NodeAgentError(imageErrorCodes.credentialProviderFailed, `credential provider plugin ${name}: its response ${rule}`);
  };
  const answer = parseJson(output);
  if (!isObject(answer)) return refuse('is not a JSON object');
  if (answer.kind !== 'CredentialProviderResponse') return refuse('is not a CredentialProviderResponse');
  if (answer.apiVersion !== apiVersion) return refuse(`has an apiVersion other than ${apiVersion}`);
  const { cacheKeyType, cacheDuration, auth } = answer;
  if (cacheKeyType !== 'Image' && cacheKeyType !== 'Registry' && cacheKeyType !== 'Global') {
    return refuse('has no cacheKeyType of Image, Registry or Global');
  }
  let cacheMs: number | undefined = defaultCacheMs;
  if (cacheDuration !== undefined && cacheDuration !== null) {
    cacheMs = typeof cacheDuration === 'string' ? parseDuration(cacheDuration) : undefined;
  }
  if (cacheMs === undefined) return refuse('has an invalid cacheDuration');
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
