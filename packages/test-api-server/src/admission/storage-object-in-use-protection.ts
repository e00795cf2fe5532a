import { type AdmissionPlugin, isFor, objectOf } from './plugin.js';

const finalizers = [
  { resource: 'persistentvolumeclaims', finalizer: 'kubernetes.io/pvc-protection' },
  { resource: 'persistentvolumes', finalizer: 'kubernetes.io/pv-protection' },
];

/** Keeps volumes and claims until nothing uses them; controllers remove the finalizers. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate(request) {
    for (const { resource, finalizer } of finalizers) {
      if (!isFor(request, 'create', '', resource)) continue;
      const { metadata } = objectOf(request);
      if (!metadata.finalizers?.includes(finalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
    }
  },
};
