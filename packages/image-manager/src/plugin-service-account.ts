import { NodeAgentError, type ObjectGetter, type Pod, type ServiceAccount } from '@nodeagent/api';
import { sha256 } from '@nodeagent/api/helpers';
import type { PluginServiceAccount } from './credential-provider-api.js';
import type { TokenAttributes } from './credential-provider-config.js';
import type { ServiceAccountCoordinates } from './credentials.js';
import { imageErrorCodes } from './errors.js';
import type { PodTokens } from './pod-tokens.js';

/** The cluster's service accounts and tokens, for plugins with `tokenAttributes`. */
export interface ServiceAccountSource {
  accounts: ObjectGetter<ServiceAccount>;
  tokens: PodTokens;
}

/** The identity in a plugin's request. */
export interface PluginIdentity {
  /** The scope of cached responses; '' is shared by all pods. */
  owner: string;
  account?: PluginServiceAccount & { coordinates: ServiceAccountCoordinates };
}

/**
 * The identity that a plugin gets for a pod; undefined if the plugin is skipped because a required service account or annotation is
 * missing. Rejects if the API server fails. KEP-4412.
 */
export async function pluginIdentity(
  pod: Pod,
  attributes: TokenAttributes | undefined,
  source: ServiceAccountSource | undefined,
  signal?: AbortSignal,
): Promise<PluginIdentity | undefined> {
  const name = pod.spec?.serviceAccountName ?? '';
  if (attributes === undefined) return { owner: '' };
  if (name === '') return attributes.requireServiceAccount ? undefined : { owner: '' };
  if (source === undefined) {
    throw new NodeAgentError(imageErrorCodes.credentialProviderFailed, 'tokenAttributes: no service accounts are configured');
  }
  const namespace = pod.metadata?.namespace ?? '';
  const { metadata } = await source.accounts.get({ namespace, name }, signal ? { signal } : {});
  const annotations = selectAnnotations(metadata?.annotations ?? {}, attributes);
  if (annotations === undefined) return undefined;
  const coordinates = { uid: metadata?.uid ?? '', namespace, name };
  const token = await source.tokens(pod, coordinates, attributes.serviceAccountTokenAudience, signal);
  return {
    owner: ownerOf(coordinates, annotations, attributes.cacheType === 'Token' ? token : ''),
    account: { token, annotations, coordinates },
  };
}

/** The annotations that a plugin gets, sorted; undefined without a required one. */
function selectAnnotations(annotations: Readonly<Record<string, string>>, attributes: TokenAttributes): Record<string, string> | undefined {
  const { requiredServiceAccountAnnotationKeys: required = [], optionalServiceAccountAnnotationKeys: optional = [] } = attributes;
  if (required.some((key) => !Object.hasOwn(annotations, key))) return undefined;
  const keys = [...required, ...optional].filter((key) => Object.hasOwn(annotations, key)).sort();
  return Object.fromEntries(keys.map((key) => [key, annotations[key] ?? '']));
}

/** A hash, so that cache keys contain no token. */
function ownerOf({ namespace, name, uid }: ServiceAccountCoordinates, annotations: Record<string, string>, token: string): string {
  return sha256(JSON.stringify([namespace, name, uid, Object.entries(annotations), token]));
}
