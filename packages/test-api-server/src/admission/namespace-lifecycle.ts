import { forbidden, notFound } from '../status.js';
import { type AdmissionPlugin, isFor } from './plugin.js';

const immortal = ['default', 'kube-system', 'kube-public'];

/** Keeps the namespaces of a cluster, and creates nothing in missing and terminating ones. */
export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',
  mutate(request, { store }) {
    const { verb, namespace: name, subresource, group, resource } = request;
    if (isFor(request, 'delete', '', 'namespaces') && immortal.includes(request.name))
      throw forbidden({ kind: 'namespaces', name: request.name }, 'this namespace may not be deleted');
    if (verb !== 'create' || name === undefined || subresource !== undefined) return;
    const namespace = store.get('/namespaces', undefined, name);
    if (namespace === undefined) throw notFound({ kind: 'namespaces', name });
    if (!namespace.metadata.deletionTimestamp) return;
    const why = `unable to create new content in namespace ${name} because it is being terminated`;
    throw forbidden({ kind: resource, name: request.name, ...(group && { group }) }, why, [
      { reason: 'NamespaceTerminating', message: `namespace ${name} is being terminated`, field: 'metadata.namespace' },
    ]);
  },
};
