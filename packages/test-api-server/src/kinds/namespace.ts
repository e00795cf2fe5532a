import { dnsLabelProblems } from '@nodeagent/api/helpers';
import { forbidden } from '../status.js';
import type { KindRules } from './kind-rules.js';

const immortal = ['default', 'kube-system', 'kube-public'];

/** Namespaces stay until their content is deleted: Kubernetes documentation, "Namespaces". */
export const namespaceRules: KindRules = {
  nameProblems: dnsLabelProblems,
  prepareCreate(object) {
    object.metadata.labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name ?? '' };
    object.spec = { finalizers: ['kubernetes'] };
    object.status = { phase: 'Active' };
  },
  checkDelete({ metadata: { name = '' } }) {
    if (immortal.includes(name)) throw forbidden({ kind: 'namespaces', name }, 'this namespace may not be deleted');
  },
};
