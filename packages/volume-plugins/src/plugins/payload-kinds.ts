import type { Pod, SetUpOptions, VolumeSpec } from '@nodeagent/api';
import { downwardApiPayload } from '../payload/downward-api-payload.js';
import { fetchConfigMap, fetchSecret } from '../payload/fetch-object.js';
import { configMapPayload, secretPayload } from '../payload/object-payload.js';
import type { Payload } from '../payload/payload.js';
import type { PayloadSources } from '../payload/payload-sources.js';
import { projectedPayload } from '../payload/projected-payload.js';
import { sourceOf } from './volume-kind.js';

/** A kind of volumes whose files the plugin writes. */
export interface PayloadVolumeKind {
  /** Whether the files are on a tmpfs if the agent can mount. */
  isInMemory: boolean;
  payload(spec: VolumeSpec, pod: Pod, options: SetUpOptions): Promise<Payload> | Payload;
  onTearDown?(podUid: string): void;
}

/** The API server's default of `defaultMode`, for pods without defaulting: static pods, plain objects. */
const usualMode = 0o644;

export type PayloadKind = 'configMap' | 'secret' | 'downwardAPI' | 'projected';

/** The payloads of these volumes. */
export function payloadKinds(sources: PayloadSources, deleteTokens: (podUid: string) => void): Record<PayloadKind, PayloadVolumeKind> {
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

const namespaceOf = (pod: Pod) => pod.metadata?.namespace ?? '';
