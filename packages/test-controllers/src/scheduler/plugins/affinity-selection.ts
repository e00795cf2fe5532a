import type { AffinityTerm, Labels } from '../framework/affinity-terms.js';
import type { PodInfo } from '../framework/pod-info.js';
import type { ObjectReader } from '../framework/snapshot.js';

/** Whether a term selects a pod, whose namespace may be selected by its labels. */
export function selects(term: AffinityTerm, { namespace, labels }: PodInfo, namespaceLabels?: Labels): boolean {
  const isThere = term.namespaces.has(namespace) || (namespaceLabels && term.matchesNamespace?.(namespaceLabels));
  return Boolean(isThere) && term.matches(labels);
}

/** The terms of a pod that is being scheduled, with the namespaces that their selectors match now. */
export function withNamespaces(terms: readonly AffinityTerm[], objects: ObjectReader): AffinityTerm[] {
  return terms.map((term) => {
    const { matchesNamespace, namespaces, text } = term;
    if (!matchesNamespace) return term;
    const selected = objects.list('/namespaces').filter(({ metadata }) => matchesNamespace(metadata.labels ?? {}));
    const names = [...namespaces, ...selected.map(({ metadata }) => metadata.name ?? '')];
    return { ...term, namespaces: new Set(names), text: `${text} ${names}` };
  });
}

export const namespaceLabelsOf = ({ namespace }: PodInfo, objects: ObjectReader): Labels =>
  objects.get('/namespaces', undefined, namespace)?.metadata.labels ?? {};
