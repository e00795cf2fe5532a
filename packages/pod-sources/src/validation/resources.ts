import type { ResourceList, ResourceRequirements } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import type { FieldProblems } from '../field-problem.js';
import { checkQualifiedName } from './names.js';

const native = /^(cpu|memory|ephemeral-storage|hugepages-.+)$/;

/** Resources that have no unit finer than one and may not be overcommitted. */
function isWhole(name: string): boolean {
  return name.includes('/') || name.startsWith('hugepages-');
}

/** Requests and limits of a container, or of a whole pod. Source: Kubernetes documentation, "Resource Management for Pods and Containers". */
export function checkResources(
  field: string,
  resources: ResourceRequirements,
  claims: readonly string[],
  problems: FieldProblems,
  allowed: RegExp = native,
): void {
  const limits = checkAmounts(`${field}.limits`, resources.limits, problems, allowed);
  const requests = checkAmounts(`${field}.requests`, resources.requests, problems, allowed);
  for (const [name, request] of requests) {
    const limit = limits.get(name);
    const place = `${field}.requests[${name}]`;
    if (limit === undefined) {
      if (isWhole(name)) problems.required(`${field}.limits[${name}]`, 'limit must be set for non overcommitable resources');
    } else if (isWhole(name) && !request.equals(limit)) {
      problems.invalid(place, request.toString(), `must be equal to ${name} limit of ${limit}`);
    } else if (request.cmp(limit) > 0) {
      problems.invalid(place, request.toString(), `must be less than or equal to ${name} limit of ${limit}`);
    }
  }
  const names = [...limits.keys(), ...requests.keys()];
  if (names.some((name) => name.startsWith('hugepages-')) && !names.includes('cpu') && !names.includes('memory')) {
    problems.forbidden(field, 'HugePages require cpu or memory');
  }
  checkClaims(field, resources, claims, problems);
}

function checkAmounts(field: string, amounts: ResourceList | undefined, problems: FieldProblems, allowed: RegExp): Map<string, Quantity> {
  const parsed = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(amounts ?? {})) {
    const place = `${field}[${name}]`;
    const amount = Quantity.parse(text);
    parsed.set(name, amount);
    if (allowed !== native && !allowed.test(name))
      problems.add(place, `Unsupported value: "${name}": supported values: cpu, memory, hugepages-<size>`);
    else if (name.includes('/')) checkQualifiedName(place, name, problems);
    else if (!native.test(name)) problems.invalid(place, name, 'must be a standard resource type or fully qualified');
    if (amount.sign < 0) problems.invalid(place, text, 'must be greater than or equal to 0');
    if (name.includes('/') && !amount.roundUp(0).equals(amount)) problems.invalid(place, text, 'must be an integer');
  }
  return parsed;
}

function checkClaims(field: string, resources: ResourceRequirements, claims: readonly string[], problems: FieldProblems): void {
  const seen = new Set<string>();
  for (const [index, { name, request }] of (resources.claims ?? []).entries()) {
    const place = `${field}.claims[${index}]`;
    const key = request ? `${name}/${request}` : name;
    if (!name) problems.required(`${place}.name`);
    else if (seen.has(key)) problems.duplicate(place, key);
    else if (!claims.includes(name)) problems.notFound(`${place}.name`, name);
    seen.add(key);
  }
}

/** A single amount that may not be negative. */
export function checkAmount(field: string, text: string | undefined, problems: FieldProblems): void {
  if (text !== undefined && Quantity.parse(text).sign < 0) problems.invalid(field, text, 'must be greater than or equal to 0');
}
