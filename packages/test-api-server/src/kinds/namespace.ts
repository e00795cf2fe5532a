import { dnsLabelProblems } from '@nodeagent/api/helpers';
import type { KindRules } from './kind-rules.js';

/** Namespaces stay until their content is deleted: Kubernetes documentation, "Namespaces". */
export const namespaceRules: KindRules = {
  nameProblems: dnsLabelProblems,
  prepareCreate(object) {
    object.metadata.labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name ?? '' };
    object.spec = { finalizers: ['kubernetes'] };
    object.status = { phase: 'Active' };
  },
};
