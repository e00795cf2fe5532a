import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeSource,
  ProjectedVolumeSource,
  SecretVolumeSource,
  VolumePlugin,
} from '@nodeagent/api';
import { downwardApiPayload } from '../payload/downward-api-payload.js';
import { fetchConfigMap, fetchSecret } from '../payload/fetch-object.js';
import { configMapPayload, secretPayload } from '../payload/object-payload.js';
import type { PayloadSources } from '../payload/payload-sources.js';
import { projectedPayload } from '../payload/projected-payload.js';
import { createPayloadPlugin, type PayloadVolumeKind } from './payload-volume.js';
import { namespaceOf, type PluginPorts, sourceOf } from './plugin-ports.js';

/** The API server's default of `defaultMode`, for pods that have not been there: static pods, plain objects. */
const usualMode = 0o644;

/** configMap, secret, downwardAPI and projected. */
export function createPayloadPlugins(ports: PluginPorts): VolumePlugin[] {
  return payloadKinds(ports.sources, ports.forgetTokens).map((kind) => createPayloadPlugin(kind, ports));
}

/** What their volumes are made of. */
export function payloadKinds(sources: PayloadSources, forgetTokens: PluginPorts['forgetTokens']): PayloadVolumeKind[] {
  return [
    {
      name: 'kubernetes.io/configmap',
      field: 'configMap',
      inMemory: false,
      async payload(spec, pod, { signal }) {
        const source = sourceOf<ConfigMapVolumeSource>(spec, 'configMap') ?? {};
        const { name = '', items, defaultMode = usualMode, optional = false } = source;
        const configMap = await fetchConfigMap(sources, { namespace: namespaceOf(pod), name, optional, signal });
        return configMapPayload(configMap, { items, defaultMode, optional });
      },
    },
    {
      name: 'kubernetes.io/secret',
      field: 'secret',
      inMemory: true,
      async payload(spec, pod, { signal }) {
        const source = sourceOf<SecretVolumeSource>(spec, 'secret') ?? {};
        const { secretName: name = '', items, defaultMode = usualMode, optional = false } = source;
        const secret = await fetchSecret(sources, { namespace: namespaceOf(pod), name, optional, signal });
        return secretPayload(secret, { items, defaultMode, optional });
      },
    },
    {
      name: 'kubernetes.io/downward-api',
      field: 'downwardAPI',
      inMemory: true,
      payload(spec, pod) {
        const { items, defaultMode = usualMode } = sourceOf<DownwardAPIVolumeSource>(spec, 'downwardAPI') ?? {};
        return downwardApiPayload({ items, defaultMode }, pod, () => sources.nodeAllocatable());
      },
    },
    {
      name: 'kubernetes.io/projected',
      field: 'projected',
      inMemory: true,
      payload(spec, pod, { fsUser, fsGroup, signal }) {
        const source = sourceOf<ProjectedVolumeSource>(spec, 'projected') ?? {};
        const context = { pod, volumeName: spec.volume?.name ?? '', fsUser, fsGroup, signal };
        return projectedPayload({ defaultMode: usualMode, ...source }, sources, context);
      },
      onTearDown: forgetTokens,
    },
  ];
}
