import { createHash } from 'node:crypto';
import { NodeAgentError, type ObjectGetter, type Pod, type ServiceAccount } from '@nodeagent/api';
import type { PluginServiceAccount } from './credential-provider-api.js';
import type { TokenAttributes } from './credential-provider-config.js';
import type { ServiceAccountCoordinates } from './credentials.js';
import { imageErrorCodes } from './errors.js';
import type { PodTokens } from './pod-tokens.js';

/** What plugins with `tokenAttributes` need of the cluster. */
export interface ServiceAccountSource {
  accounts: ObjectGetter<ServiceAccount>;
  tokens: PodTokens;
}

/** Whom a plugin is asked for. */
export interface PluginIdentity {
  /** Whom its cached answers belong to; '' for every pod. */
  owner: string;
  account?: PluginServiceAccount & { coordinates: ServiceAccountCoordinates };
}

/**
 * The identity that a plugin gets for a pod; undefined if it is not to be asked: a required service account or annotation is missing.
 * Rejects if the cluster does not tell. KEP-4412.
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

/** A hash, so that no token lies in the keys of a cache. */
function ownerOf({ namespace, name, uid }: ServiceAccountCoordinates, annotations: Record<string, string>, token: string): string {
  return createHash('sha256')
    .update(JSON.stringify([namespace, name, uid, Object.entries(annotations), token]))
    .digest('hex');
}
