import type { VolumeProjection } from '@nodeagent/api';
import { fieldSelector, resourceFieldSelector } from '../manifest/container-schema.js';
import { labelSelector } from '../manifest/meta-schema.js';
import { type FieldType, flag, int32, int64, list, struct, text, textMap } from '../manifest/schema.js';

export const keyToPaths = list(struct({ key: text, path: text, mode: int32 }));
export const downwardItems = list(struct({ path: text, fieldRef: fieldSelector, resourceFieldRef: resourceFieldSelector, mode: int32 }));

/** One source of a projected volume. */
export const projection = struct({
  secret: struct({ name: text, items: keyToPaths, optional: flag }),
  configMap: struct({ name: text, items: keyToPaths, optional: flag }),
  downwardAPI: struct({ items: downwardItems }),
  serviceAccountToken: struct({ audience: text, expirationSeconds: int64, path: text }),
  clusterTrustBundle: struct({ name: text, signerName: text, labelSelector, optional: flag, path: text }),
  podCertificate: struct({
    signerName: text,
    keyType: text,
    maxExpirationSeconds: int32,
    credentialBundlePath: text,
    keyPath: text,
    certificateChainPath: text,
    userAnnotations: textMap,
  }),
} satisfies Record<keyof VolumeProjection, FieldType>);
