import type { VolumePlugin } from '@nodeagent/api';
import { downwardApiPayload } from '../payload/downward-api-payload.js';
import { fetchConfigMap, fetchSecret } from '../payload/fetch-object.js';
import { configMapPayload, secretPayload } from '../payload/object-payload.js';
import type { PayloadSources } from '../payload/payload-sources.js';
import { projectedPayload } from '../payload/projected-payload.js';
import { createPayloadPlugin, type PayloadVolumeKind } from './payload-volume.js';
import { namespaceOf, type PluginPorts } from './plugin-ports.js';
import { mapKinds, sourceOf } from './volume-kind.js';

/** The API server's default of `defaultMode`, for pods without defaulting: static pods, plain objects. */
const usualMode = 0o644;

type PayloadKind = 'configMap' | 'secret' | 'downwardAPI' | 'projected';

/** configMap, secret, downwardAPI and projected. */
export function createPayloadPlugins(ports: PluginPorts): Record<PayloadKind, VolumePlugin> {
  return mapKinds(payloadKinds(ports.sources, ports.deleteTokens), (kind, definition) => createPayloadPlugin(kind, definition, ports));
}

/** The payloads of these volumes. */
export function payloadKinds(sources: PayloadSources, deleteTokens: PluginPorts['deleteTokens']): Record<PayloadKind, PayloadVolumeKind> {
  return {
    configMap: {
      isInMemory: false,
      async payload(spec, pod, { signal }) {
        const source = sourceOf(spec, 'configMap') ?? {};
        const { name = '', items, defaultMode = usualMode, optional = false } = source;
        const configMap = await fetchConfigMap(sources, { namespace: namespaceOf(pod), name, optional, signal });
        return configMapPayload(configMap, { items, defaultMode, optional });
      },
    },
    secret: {
      isInMemory: true,
      async payload(spec, pod, { signal }) {
        const source = sourceOf(spec, 'secret') ?? {};
        const { secretName: name = '', items, defaultMode = usualMode, optional = false } = source;
        const secret = await fetchSecret(sources, { namespace: namespaceOf(pod), name, optional, signal });
        return secretPayload(secret, { items, defaultMode, optional });
      },
    },
    downwardAPI: {
      isInMemory: true,
      payload(spec, pod) {
        const { items, defaultMode = usualMode } = sourceOf(spec, 'downwardAPI') ?? {};
        return downwardApiPayload({ items, defaultMode }, pod, () => sources.nodeAllocatable?.() ?? {});
      },
    },
    projected: {
      isInMemory: true,
      payload(spec, pod, { fsUser, fsGroup, signal }) {
        const source = sourceOf(spec, 'projected') ?? {};
        const context = { pod, volumeName: spec.volume?.name ?? '', fsUser, fsGroup, signal };
        return projectedPayload({ defaultMode: usualMode, ...source }, sources, context);
      },
      onTearDown: deleteTokens,
    },
  };
}
