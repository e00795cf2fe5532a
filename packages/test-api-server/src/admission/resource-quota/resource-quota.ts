import type { Container, Pod } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import type { AdmissionRequest } from '../../access/admission-request.js';
import type { ApiObject } from '../../objects.js';
import { type AdmissionPlugin, objectOf } from '../plugin.js';
import { refused } from '../refuse.js';
import { usageOf } from './measure.js';
import { amountsOf, quotaSpecOf, quotaStatusOf } from './quota.js';
import { isInScope } from './scopes.js';
import { addUsage, only, type Usage, usageText } from './usage.js';

/** Refuses writes that exceed a quota of their namespace: Kubernetes documentation, "Resource Quotas". `quota-status.ts` computes what is used. */
export const resourceQuota: AdmissionPlugin = {
  name: 'ResourceQuota',
  validate(request, { store, quotaStatus }) {
    const { verb, namespace, subresource, before } = request;
    if (namespace === undefined || (verb !== 'create' && verb !== 'update')) return;
    if (subresource !== undefined && !(request.resource === 'pods' && subresource === 'resize')) return;
    if (store.list('/resourcequotas', namespace).length === 0 || request.resource === 'resourcequotas') return;
    quotaStatus.settle();
    const object = objectOf(request);
    const { storage } = request.definition;
    const used = usageOf(storage, object);
    const change = before ? addUsage(used, usageOf(storage, before as ApiObject), -1) : used;
    for (const quota of store.list('/resourcequotas', namespace)) {
      if (isInScope(storage, object, quotaSpecOf(quota))) requireQuota(request, quota, change);
    }
  },
};

function requireQuota(request: AdmissionRequest, quota: ApiObject, change: Usage): void {
  const { name = '' } = quota.metadata;
  const status = quotaStatusOf(quota);
  const [hard, used] = [amountsOf(status.hard ?? quotaSpecOf(quota).hard), amountsOf(status.used)];
  const concerned = [...hard.keys()].filter((resource) => change.has(resource) || isComputeOf(request, resource));
  if (concerned.length === 0) return;
  if (request.resource === 'pods' && request.group === '') requireAmounts(request, name, concerned);
  const unknown = concerned.filter((resource) => status.used?.[resource] === undefined);
  if (unknown.length > 0) throw refused(request, `status unknown for quota: ${name}, resources: ${unknown.sort().join(',')}`);
  const grown = concerned.filter((resource) => (change.get(resource) ?? Quantity.zero).sign > 0);
  const sum = addUsage(only(used, grown), only(change, grown));
  const exceeded = grown.filter((resource) => (sum.get(resource) as Quantity).cmp(hard.get(resource) as Quantity) > 0);
  if (exceeded.length === 0) return;
  const [asked, taken, limited] = [change, used, hard].map((usage) => usageText(only(usage, exceeded)));
  throw refused(request, `exceeded quota: ${name}, requested: ${asked}, used: ${taken}, limited: ${limited}`);
}

/** Computing resources that a quota limits, which every container must therefore set. */
const compute = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'];

const isComputeOf = ({ resource, group, verb }: AdmissionRequest, name: string) =>
  resource === 'pods' && group === '' && verb === 'create' && compute.includes(name);

function requireAmounts(request: AdmissionRequest, quota: string, concerned: readonly string[]): void {
  const { spec } = objectOf(request) as Pod;
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const required = concerned.filter((resource) => compute.includes(resource) && !sets(spec?.resources, resource));
  const missing = required.sort().flatMap((resource) => {
    const names = containers.filter(({ resources }) => !sets(resources, resource)).map(({ name }) => name);
    return names.length > 0 ? [`${resource} for: ${names.sort().join(',')}`] : [];
  });
  if (missing.length > 0) throw refused(request, `failed quota: ${quota}: must specify ${missing.join('; ')}`);
}

/** Whether the resources of a container or pod set what a quota's resource counts. */
function sets(resources: Container['resources'], resource: string): boolean {
  const [list, name] = resource.includes('.')
    ? (resource.split('.') as ['requests' | 'limits', string])
    : (['requests', resource] as const);
  return resources?.[list]?.[name] !== undefined;
}
