import { Quantity } from '@nodeagent/api/helpers';

/** Amounts by the resource names of quotas: `pods`, `requests.cpu`, `count/deployments.apps`. */
export type Usage = ReadonlyMap<string, Quantity>;

/** The sum, per resource; `sign` -1 subtracts. */
export function addUsage(a: Usage, b: Usage, sign: 1 | -1 = 1): Usage {
  const sum = new Map(a);
  for (const [resource, amount] of b) sum.set(resource, (sum.get(resource) ?? Quantity.zero).add(sign === 1 ? amount : amount.neg()));
  return sum;
}

/** The amounts of these resources; 0 for those without one. */
export function only(usage: Usage, resources: readonly string[]): Usage {
  return new Map(resources.map((resource) => [resource, usage.get(resource) ?? Quantity.zero]));
}

/** As in messages: `pods=1,requests.cpu=500m`. */
export function usageText(usage: Usage): string {
  const parts = Array.from(usage, ([resource, amount]) => `${resource}=${amount}`);
  return parts.sort().join(',');
}
