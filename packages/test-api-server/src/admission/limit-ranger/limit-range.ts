import type { ResourceList } from '@nodeagent/api';
import type { ApiObject } from '../../objects.js';

/** Limits of one kind of thing: Kubernetes API reference, "LimitRangeItem". */
export interface LimitRangeItem {
  type: 'Container' | 'Pod' | 'PersistentVolumeClaim' | (string & {});
  min?: ResourceList;
  max?: ResourceList;
  default?: ResourceList;
  defaultRequest?: ResourceList;
  maxLimitRequestRatio?: ResourceList;
}

/** The items of a stored LimitRange. */
export const itemsOf = ({ spec }: ApiObject): readonly LimitRangeItem[] =>
  (spec as { limits?: LimitRangeItem[] } | undefined)?.limits ?? [];

/** Requests and limits of a container, a pod or a claim. */
export interface Amounts {
  requests: ResourceList;
  limits: ResourceList;
}
