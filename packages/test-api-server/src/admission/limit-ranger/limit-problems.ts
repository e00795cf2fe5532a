import { Quantity } from '@nodeagent/api/helpers';
import type { Amounts, LimitRangeItem } from './limit-range.js';

/** What of an item's limits these amounts break, in the words of the plugin: Kubernetes documentation, "Limit Ranges". */
export function limitProblems(item: LimitRangeItem, amounts: Amounts): string[] {
  const rules: [limits: LimitRangeItem['min'], check: Check][] = [
    [item.min, belowMinimum],
    [item.max, item.type === 'PersistentVolumeClaim' ? requestAboveMaximum : aboveMaximum],
    [item.maxLimitRequestRatio, aboveRatio],
  ];
  return rules.flatMap(([limits = {}, check]) =>
    Object.keys(limits)
      .sort()
      .flatMap((resource) => {
        const [enforced, request, limit] = [limits[resource], amounts.requests[resource], amounts.limits[resource]];
        return check(item.type, resource, quantity(enforced) ?? Quantity.zero, quantity(request), quantity(limit)) ?? [];
      }),
  );
}

type Check = (type: string, resource: string, enforced: Quantity, request?: Quantity, limit?: Quantity) => string | undefined;

const quantity = (text: string | number | undefined): Quantity | undefined => (text === undefined ? undefined : Quantity.parse(text));

const belowMinimum: Check = (type, resource, enforced, request, limit) => {
  const rule = `minimum ${resource} usage per ${type} is ${enforced}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  if (request.cmp(enforced) < 0) return `${rule}, but request is ${request}`;
  return limit !== undefined && limit.cmp(enforced) < 0 ? `${rule}, but limit is ${limit}` : undefined;
};

const aboveMaximum: Check = (type, resource, enforced, request, limit) => {
  const rule = `maximum ${resource} usage per ${type} is ${enforced}`;
  if (limit === undefined) return `${rule}.  No limit is specified`;
  if (limit.cmp(enforced) > 0) return `${rule}, but limit is ${limit}`;
  return request !== undefined && request.cmp(enforced) > 0 ? `${rule}, but request is ${request}` : undefined;
};

/** Claims have no limits. */
const requestAboveMaximum: Check = (type, resource, enforced, request) => {
  const rule = `maximum ${resource} usage per ${type} is ${enforced}`;
  if (request === undefined) return `${rule}.  No request is specified`;
  return request.cmp(enforced) > 0 ? `${rule}, but request is ${request}` : undefined;
};

const aboveRatio: Check = (type, resource, enforced, request, limit) => {
  const rule = `${resource} max limit to request ratio per ${type} is ${enforced}`;
  if (request === undefined || request.isZero) return `${rule}, but no request is specified or request is 0`;
  if (limit === undefined || limit.isZero) return `${rule}, but no limit is specified or limit is 0`;
  const [ratio, allowed] = [Number(limit.milliValue()) / Number(request.milliValue()), Number(enforced.milliValue()) / 1000];
  return ratio > allowed ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
};
