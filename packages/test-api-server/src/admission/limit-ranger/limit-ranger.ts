import type { PersistentVolumeClaim, Pod } from '@nodeagent/api';
import { formatResourceList, podLimits, podRequests } from '@nodeagent/api/helpers';
import type { AdmissionRequest } from '../../access/admission-request.js';
import type { ApiContext } from '../../context.js';
import { type AdmissionPlugin, isFor, objectOf } from '../plugin.js';
import { listed, refused } from '../refuse.js';
import { setDefaultResources } from './default-resources.js';
import { limitProblems } from './limit-problems.js';
import { type Amounts, itemsOf, type LimitRangeItem } from './limit-range.js';

/** Applies the LimitRanges of a namespace to pods and claims: Kubernetes documentation, "Limit Ranges". */
export const limitRanger: AdmissionPlugin = {
  name: 'LimitRanger',
  mutate(request, context) {
    if (!isFor(request, 'create', '', 'pods')) return;
    for (const items of limitsOf(request, context)) setDefaultResources(objectOf(request) as Pod, items);
  },
  validate(request, context) {
    const limits = limitsOf(request, context);
    const amounts = limits.length === 0 ? undefined : amountsByType(request);
    if (amounts === undefined) return;
    for (const items of limits) {
      const problems = items.flatMap((item) => (amounts[item.type] ?? []).flatMap((each) => limitProblems(item, each)));
      if (problems.length > 0) throw refused(request, listed(problems));
    }
  },
};

/** The items of each LimitRange of the namespace. */
function limitsOf({ namespace }: AdmissionRequest, { store }: ApiContext): (readonly LimitRangeItem[])[] {
  return store.list('/limitranges', namespace).map(itemsOf);
}

/** The amounts that each type of items limits; undefined for writes that have none. */
function amountsByType(request: AdmissionRequest): Record<string, Amounts[]> | undefined {
  const isResize = request.verb === 'update' && request.resource === 'pods' && request.group === '' && request.subresource === 'resize';
  if (isFor(request, 'create', '', 'pods') || isResize) {
    const pod = objectOf(request) as Pod;
    const { containers = [], initContainers = [] } = pod.spec ?? {};
    return {
      Container: [...containers, ...initContainers].map(({ resources }) => ({
        requests: resources?.requests ?? {},
        limits: resources?.limits ?? {},
      })),
      Pod: [{ requests: formatResourceList(podRequests(pod)), limits: formatResourceList(podLimits(pod)) }],
    };
  }
  if (!isFor(request, 'create', '', 'persistentvolumeclaims') && !isFor(request, 'update', '', 'persistentvolumeclaims')) return undefined;
  const { spec } = objectOf(request) as PersistentVolumeClaim;
  return { PersistentVolumeClaim: [{ requests: spec?.resources?.requests ?? {}, limits: {} }] };
}
