import { type CSIDriverSpec, errorMessage, type Pod } from '@nodeagent/api';
import type { PluginContext } from './context.js';
import type { LifecycleMode } from './drivers.js';
import { transientFailure } from './failures.js';

const prefix = 'csi.storage.k8s.io/';

/** The pod info for a driver with `podInfoOnMount`. */
export function podInfoOf({ metadata, spec }: Pod, mode: LifecycleMode): Record<string, string> {
  return {
    [`${prefix}pod.name`]: metadata?.name ?? '',
    [`${prefix}pod.namespace`]: metadata?.namespace ?? '',
    [`${prefix}pod.uid`]: metadata?.uid ?? '',
    [`${prefix}serviceAccount.name`]: spec?.serviceAccountName ?? '',
    [`${prefix}ephemeral`]: String(mode === 'Ephemeral'),
  };
}

/** The pod's service account tokens that the CSIDriver's `tokenRequests` request, as one field of the volume context or secrets; empty without any. */
export async function serviceAccountTokens(
  { serviceAccountToken }: PluginContext,
  wanted: CSIDriverSpec['tokenRequests'],
  { metadata, spec }: Pod,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  if (wanted === undefined || wanted.length === 0) return {};
  const tokens: Record<string, unknown> = {};
  try {
    if (serviceAccountToken === undefined) throw new Error('no getter for service account tokens is configured');
    for (const { audience, expirationSeconds } of wanted) {
      const request = {
        spec: {
          audiences: audience === '' ? [] : [audience],
          ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
          boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: metadata?.name ?? '', uid: metadata?.uid ?? '' },
        },
      };
      const { status } = await serviceAccountToken(metadata?.namespace ?? '', spec?.serviceAccountName ?? '', request, signal);
      tokens[audience] = { token: status?.token ?? '', expirationTimestamp: status?.expirationTimestamp ?? null };
    }
  } catch (error) {
    throw transientFailure(`mounter.SetUpAt failed to get service account token attributes: ${errorMessage(error)}`, error);
  }
  const sorted = Object.fromEntries(Object.entries(tokens).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { [`${prefix}serviceAccount.tokens`]: JSON.stringify(sorted) };
}
