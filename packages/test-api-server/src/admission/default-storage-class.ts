import { type AdmissionPlugin, isFor, objectOf } from './plugin.js';

const marks = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** Gives claims without a class the default one; of several the newest. */
export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  mutate(request, { store }) {
    if (!isFor(request, 'create', '', 'persistentvolumeclaims')) return;
    const claim = objectOf(request) as { spec?: { storageClassName?: string } };
    if (claim.spec === undefined || claim.spec.storageClassName !== undefined) return;
    const defaults = store
      .list('storage.k8s.io/storageclasses')
      .filter(({ metadata }) => marks.some((mark) => metadata.annotations?.[mark] === 'true'))
      .sort((a, b) => (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''));
    const name = defaults[0]?.metadata.name;
    if (name) claim.spec.storageClassName = name;
  },
};
