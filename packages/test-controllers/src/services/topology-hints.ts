import type { Node } from '@nodeagent/api';
import { equalJson, Quantity } from '@nodeagent/api/helpers';
import type { EventText } from '../workloads/objects.js';
import type { Endpoint, EndpointHints, EndpointSlice, ServiceObject } from './objects.js';
import type { SlicePlan } from './pack-slices.js';

const isReady = ({ conditions }: Endpoint): boolean => conditions.ready === true;
const zones = (name: string | undefined) => (name ? { forZones: [{ name }] } : {});

/** Whether hints follow from the CPU of the zones: `service.kubernetes.io/topology-mode: Auto`, or its predecessor. */
export function hasTopologyMode({ metadata }: Pick<ServiceObject, 'metadata'>): boolean {
  const { annotations = {} } = metadata;
  const mode = annotations['service.kubernetes.io/topology-aware-hints'] ?? annotations['service.kubernetes.io/topology-mode'];
  return mode === 'Auto' || mode === 'auto';
}

/** The plan with other hints: a slice whose hints change is written. */
function withHints(plan: SlicePlan, hintsOf: (endpoint: Endpoint) => EndpointHints | undefined): SlicePlan {
  const hinted = (slice: EndpointSlice): EndpointSlice => ({
    ...slice,
    endpoints: slice.endpoints.map((endpoint) => {
      const { hints: _, ...rest } = endpoint;
      const hints = hintsOf(endpoint);
      return { ...rest, ...(hints && { hints }) };
    }),
  });
  const after = plan.unchanged.map((slice) => {
    const changed = hinted(slice);
    return equalJson(changed, slice) ? slice : changed;
  });
  return {
    ...plan,
    create: plan.create.map(hinted),
    update: [...plan.update.map(hinted), ...after.filter((slice) => !plan.unchanged.includes(slice))],
    unchanged: after.filter((slice) => plan.unchanged.includes(slice)),
  };
}

export const withoutHints = (plan: SlicePlan): SlicePlan => withHints(plan, () => undefined);

/** Hints for the field `trafficDistribution`: Kubernetes documentation, "Service: Traffic distribution". */
export function distributedHints(plan: SlicePlan, { spec }: ServiceObject): SlicePlan {
  const isNode = spec.trafficDistribution === 'PreferSameNode';
  if (!isNode && !['PreferClose', 'PreferSameZone'].includes(spec.trafficDistribution ?? '')) return withoutHints(plan);
  return withHints(plan, (endpoint) => {
    const { zone, nodeName } = endpoint;
    if (!isReady(endpoint) || !(zone || (isNode && nodeName))) return undefined;
    return { ...zones(zone), ...(isNode && nodeName && { forNodes: [{ name: nodeName }] }) };
  });
}

/** The share of each zone in the CPU of the ready nodes; undefined if a node does not report its zone or CPU, or there is one zone only. */
export function cpuShares(nodes: readonly Node[]): Map<string, number> | undefined {
  const cpus = new Map<string, number>();
  for (const { metadata, status } of nodes) {
    const { labels = {} } = metadata ?? {};
    if ('node-role.kubernetes.io/control-plane' in labels || 'node-role.kubernetes.io/master' in labels) continue;
    if (status?.conditions?.find(({ type }) => type === 'Ready')?.status !== 'True') continue;
    const zone = labels['topology.kubernetes.io/zone'];
    const cpu = Number(Quantity.parse(status?.allocatable?.cpu ?? 0).milliValue());
    if (!zone || cpu === 0) return undefined;
    cpus.set(zone, (cpus.get(zone) ?? 0) + cpu);
  }
  const total = [...cpus.values()].reduce((sum, cpu) => sum + cpu, 0);
  return cpus.size < 2 ? undefined : new Map([...cpus].sort().map(([zone, cpu]) => [zone, cpu / total]));
}

/** How much more traffic than another an endpoint may get. */
const overload = 0.2;

const minimumOf = (share: number, endpoints: number): number => Math.ceil((share * endpoints) / (1 + overload));

/** Whether a zone has too few of the hinted endpoints. */
export function isOverloaded(slices: readonly EndpointSlice[], shares: ReadonlyMap<string, number> | undefined): boolean {
  const counts = countHints(slices.flatMap(({ endpoints }) => endpoints));
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return false;
  return shares === undefined || [...shares].some(([zone, share]) => (counts.get(zone) ?? 0) < minimumOf(share, total));
}

function countHints(endpoints: readonly Endpoint[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of endpoints.filter(isReady).flatMap(({ hints }) => hints?.forZones?.map((each) => each.name) ?? [])) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** The plan of a family, whether it has hints, and why not. */
export interface HintedPlan {
  plan: SlicePlan;
  isHinted: boolean;
  events: EventText[];
}

/**
 * Hints in proportion to the CPU of the zones; none if that would overload an endpoint. Kubernetes documentation, "Topology Aware Routing".
 */
export function proportionalHints(plan: SlicePlan, nodes: readonly Node[], addressType: string, wasHinted: boolean): HintedPlan {
  const refused = (problem: string): HintedPlan => ({
    plan: withoutHints(plan),
    isHinted: false,
    events: [{ type: 'Warning', reason: 'TopologyAwareHintsDisabled', message: `${problem}, addressType: ${addressType}` }],
  });
  const ready = [...plan.create, ...plan.update, ...plan.unchanged].flatMap(({ endpoints }) => endpoints).filter(isReady);
  const shares = cpuShares(nodes);
  if (shares === undefined) return refused('Insufficient Node information: allocatable CPU or zone not specified on one or more nodes');
  const counts = `(${ready.length} endpoints, ${shares.size} zones)`;
  if (shares.size > ready.length) return refused(`Insufficient number of endpoints ${counts}`);
  const minima = new Map([...shares].map(([zone, share]) => [zone, minimumOf(share, ready.length)]));
  const spare = ready.length - [...minima.values()].reduce((sum, minimum) => sum + minimum, 0);
  if (spare < 0)
    return refused(`Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`);
  const { kept, allocated } = keepHints(plan.unchanged, minima, spare);
  const slices = [...plan.create, ...plan.update, ...plan.unchanged.filter((slice) => !kept.has(slice))];
  const free = slices.flatMap(({ endpoints }) => endpoints).filter(isReady);
  if (free.some(({ zone }) => !zone)) return refused('One or more endpoints do not have a zone specified');
  const desired = new Map([...shares].map(([zone, share]) => [zone, Math.max(share * ready.length, minima.get(zone) ?? 0)]));
  const zoneOf = assignZones(free, allocated, desired);
  const keptEndpoints = new Set([...kept].flatMap(({ endpoints }) => endpoints));
  const hintsOf = (endpoint: Endpoint) => (keptEndpoints.has(endpoint) ? endpoint.hints : zones(zoneOf.get(endpoint)));
  const enabled = {
    type: 'Normal',
    reason: 'TopologyAwareHintsEnabled',
    message: `Topology Aware Hints has been enabled, addressType: ${addressType}`,
  };
  return {
    plan: withHints(plan, (endpoint) => (isReady(endpoint) ? hintsOf(endpoint) : undefined)),
    isHinted: true,
    events: wasHinted ? [] : [enabled as EventText],
  };
}

/** The slices whose hints stay: all their endpoints have some, and no zone gets more than it may. */
function keepHints(unchanged: readonly EndpointSlice[], minima: ReadonlyMap<string, number>, spare: number) {
  const allocated = new Map<string, number>();
  const kept = new Set<EndpointSlice>();
  for (const slice of unchanged) {
    const counts = countHints(slice.endpoints);
    const isHinted = slice.endpoints.filter(isReady).every(({ hints }) => hints?.forZones?.length);
    const fits = ([zone, count]: [string, number]) => count + (allocated.get(zone) ?? 0) <= (minima.get(zone) ?? -Infinity) + spare;
    if (!isHinted || ![...counts].every(fits)) continue;
    kept.add(slice);
    for (const [zone, count] of counts) allocated.set(zone, (allocated.get(zone) ?? 0) + count);
  }
  return { kept, allocated };
}

/** The zone of the hint of each endpoint: its own, or of one that has too few. */
function assignZones(endpoints: readonly Endpoint[], allocated: Map<string, number>, desired: ReadonlyMap<string, number>) {
  const zoneOf = new Map(endpoints.map((endpoint) => [endpoint, endpoint.zone ?? '']));
  for (const zone of zoneOf.values()) allocated.set(zone, (allocated.get(zone) ?? 0) + 1);
  const excess = new Map([...desired].map(([zone, target]) => [zone, (allocated.get(zone) ?? 0) - target]));
  const movable = [...endpoints];
  for (;;) {
    const ranked = [...excess].sort(([, a], [, b]) => b - a);
    const [[giving = '', surplus = 0] = [], [receiving = '', deficit = 0] = []] = [ranked[0], ranked.at(-1)];
    if (surplus < 0.5 || -deficit < 0.5 || (surplus < 1 && -deficit < 1)) return zoneOf;
    excess.set(giving, surplus - 1).set(receiving, deficit + 1);
    const index = movable.findIndex(({ zone }) => zone === giving);
    if (index >= 0) for (const endpoint of movable.splice(index, 1)) zoneOf.set(endpoint, receiving);
  }
}
