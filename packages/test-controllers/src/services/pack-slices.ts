import { equalJson } from '@nodeagent/api/helpers';
import type { Endpoint, EndpointSlice } from './objects.js';

/** What becomes of the slices of a Service: those to write, to delete and to leave. */
export interface SlicePlan {
  create: EndpointSlice[];
  update: EndpointSlice[];
  remove: EndpointSlice[];
  unchanged: EndpointSlice[];
}

const identityOf = ({ addresses, hostname, targetRef }: Endpoint): string =>
  JSON.stringify([addresses, hostname, targetRef?.namespace, targetRef?.name]);

const withoutHints = ({ hints: _, ...endpoint }: Endpoint): Omit<Endpoint, 'hints'> => endpoint;

/**
 * Distributes endpoints over slices of at most `max`, with as few writes as possible: endpoints stay in their slices, new ones fill the slices that
 * change anyway, then one that has room for all of them, then new ones. Kubernetes documentation, "EndpointSlices: Distribution of EndpointSlices".
 */
export function packSlices(
  existing: readonly EndpointSlice[],
  endpoints: readonly Endpoint[],
  { max, empty, isCurrent }: { max: number; empty: EndpointSlice; isCurrent: (slice: EndpointSlice) => boolean },
): SlicePlan {
  const left = new Map(endpoints.map((endpoint) => [identityOf(endpoint), endpoint]));
  const plan: SlicePlan = { create: [], update: [], remove: [], unchanged: [] };
  const fill = (slice: EndpointSlice): EndpointSlice => {
    const added = [...left].slice(0, Math.max(0, max - slice.endpoints.length));
    for (const [key] of added) left.delete(key);
    return { ...slice, endpoints: [...slice.endpoints, ...added.map(([, endpoint]) => endpoint)] };
  };
  for (const slice of existing) {
    const kept = slice.endpoints.flatMap((endpoint) => {
      const key = identityOf(endpoint);
      const found = left.get(key);
      left.delete(key);
      return found ?? [];
    });
    const isSame = equalJson(kept.map(withoutHints), slice.endpoints.map(withoutHints));
    if (isSame && isCurrent(slice)) plan.unchanged.push(slice);
    else if (kept.length === 0 && !isSame) plan.remove.push(slice);
    else plan.update.push({ ...slice, endpoints: kept });
  }
  plan.update = plan.update.sort((a, b) => b.endpoints.length - a.endpoints.length).map(fill);
  while (left.size > 0) {
    const room = ({ endpoints: present }: EndpointSlice) => max - present.length - left.size;
    const [fullest] = plan.unchanged.filter((slice) => left.size < max && room(slice) >= 0).sort((a, b) => room(a) - room(b));
    if (fullest === undefined) plan.create.push(fill(empty));
    else {
      plan.unchanged = plan.unchanged.filter((slice) => slice !== fullest);
      plan.update.push(fill(fullest));
    }
  }
  return plan;
}

/** A slice that would be deleted is rewritten instead of a creation. */
export function recycled({ create, update, remove, unchanged }: SlicePlan, isUsable: (slice: EndpointSlice) => boolean): SlicePlan {
  const created = [...create];
  const rewritten: EndpointSlice[] = [];
  const removed = remove.filter((old) => {
    const slice = isUsable(old) ? created.pop() : undefined;
    if (slice) rewritten.push({ ...slice, metadata: { ...slice.metadata, name: old.metadata.name ?? '' } });
    return slice === undefined;
  });
  return { create: created, update: [...update, ...rewritten], remove: removed, unchanged };
}
