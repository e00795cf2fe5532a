import type { PersistentVolumeClaim } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import { type AdmissionPlugin, beforeOf, isFor, objectOf } from './plugin.js';
import { refused } from './refuse.js';

const storageOf = (claim: PersistentVolumeClaim) => claim.spec?.resources?.requests?.storage;

/** Lets claims grow only if they are bound and their StorageClass allows it. */
export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: 'PersistentVolumeClaimResize',
  validate(request, { store }) {
    if (!isFor(request, 'update', '', 'persistentvolumeclaims')) return;
    const [claim, before] = [objectOf(request), beforeOf(request)] as PersistentVolumeClaim[];
    const [now, was] = [storageOf(claim ?? {}), storageOf(before ?? {})];
    if (now === undefined || was === undefined || Quantity.parse(now).cmp(Quantity.parse(was)) <= 0) return;
    if (before?.status?.phase !== 'Bound') throw refused(request, 'Only bound persistent volume claims can be expanded');
    const name = before.spec?.storageClassName;
    const found = name ? store.get('storage.k8s.io/storageclasses', undefined, name) : undefined;
    if (found?.allowVolumeExpansion !== true)
      throw refused(
        request,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
  },
};
