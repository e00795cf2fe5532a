import type { AllocationResult, DeviceClass, Pod, ResourceClaim, ResourceSlice } from '@nodeagent/api';
import { errorMessage } from '@nodeagent/api';
import { matchesNodeSelector } from '@nodeagent/api/helpers';
import type { StoredObject } from '../../controller-objects.js';
import type { DeviceAllocator, DeviceAllocatorInput } from '../../devices/allocate-claims.js';
import { areConditionsMet, claimInUse, claimProblem, classProblem, optionScore } from '../../devices/claim-checks.js';
import { canBeReserved, isReservedFor, namedClaims, withConsumer } from '../../devices/pod-claims.js';
import { claimFinalizer } from '../../devices/reconcile-claim.js';
import { claimStorage } from '../../devices/resource-claim-controller.js';
import type { NodeInfo } from '../framework/node-info.js';
import type { Misfit, ObjectWrite, Reservation, SchedulerPlugin } from '../framework/plugin.js';
import type { PodInfo } from '../framework/pod-info.js';
import type { ObjectReader } from '../framework/snapshot.js';
import { unresolvable } from './rejections.js';
import { scaleToLargest } from './scale-scores.js';

const sliceStorage = 'resource.k8s.io/resourceslices';
const classStorage = 'resource.k8s.io/deviceclasses';

/** What the rule of resource claims needs. */
export interface DevicePorts {
  /** Creates an allocator; undefined while it is loaded. */
  allocator(input: Omit<DeviceAllocatorInput, 'matches' | 'newShareID'>): DeviceAllocator | undefined;
  /** The time of an allocation, as RFC 3339. */
  now(): string;
}

interface State {
  pod: Pod;
  claims: readonly ResourceClaim[];
  /** Claims without an allocation. */
  wanted: readonly ResourceClaim[];
  allocator?: DeviceAllocator;
  /** Allocations of the wanted claims by node. */
  found: Map<string, AllocationResult[]>;
  /** Allocated claims whose devices a node does not reach. */
  elsewhere: Set<ResourceClaim>;
  objects: ObjectReader;
}

/**
 * The claims of a pod are allocated on its node, and reserved for the pod before it is bound: Kubernetes documentation, "Dynamic Resource
 * Allocation".
 */
export function dynamicResources(ports: DevicePorts): SchedulerPlugin<State, State> {
  const states = new WeakMap<PodInfo, State>();
  return {
    name: 'DynamicResources',
    weight: 2,
    storages: [claimStorage, sliceStorage, classStorage],
    helpedBy: ['nodeAdded', 'nodeChanged'],
    preEnqueue(pod, objects) {
      const claims = claimsOf(pod, objects);
      return typeof claims === 'string' ? claims : undefined;
    },
    preFilter(info, { objects }) {
      const { pod } = info;
      if (!pod.spec?.resourceClaims?.length) return {};
      const claims = claimsOf(pod, objects);
      if (typeof claims === 'string') return { misfit: unresolvable(claims) };
      const problem = firstOf(
        claims,
        (claim) => claimInUse(claim, pod) ?? classProblem(claim, (name) => objects.get(classStorage, undefined, name)),
      );
      if (problem !== undefined) return { misfit: unresolvable(problem) };
      const wanted = claims.filter(({ status }) => !status?.allocation);
      const allocator = wanted.length > 0 ? ports.allocator(devicesOf(objects)) : undefined;
      if (wanted.length > 0 && !allocator) return { misfit: unresolvable('waiting for the allocator of devices') };
      const state: State = { pod, claims, wanted, ...(allocator && { allocator }), found: new Map(), elsewhere: new Set(), objects };
      states.set(info, state);
      return claims.length > 0 ? { state } : {};
    },
    filter: findMisfit,
    preScore(info) {
      const state = states.get(info);
      return state?.claims.some(({ spec }) => spec?.devices?.requests?.some(({ firstAvailable }) => firstAvailable)) ? state : undefined;
    },
    score: (state, { name }) =>
      state.claims.reduce((sum, claim) => sum + optionScore(claim, claim.status?.allocation ?? foundFor(state, name, claim)), 0),
    normalizeScore: (scores) => scaleToLargest(scores),
    postFilter: deallocation,
    reserve: (state, node) => reservation(state, node, ports.now()),
  };
}

/** The claims of a pod, or why it waits for one. */
function claimsOf(pod: Pod, objects: ObjectReader): ResourceClaim[] | string {
  const claims: ResourceClaim[] = [];
  for (const named of namedClaims(pod)) {
    if (named.claimName === '') continue;
    const claim = objects.get(claimStorage, pod.metadata?.namespace, named.claimName ?? '') as ResourceClaim | undefined;
    const problem = claimProblem(pod, named, claim);
    if (problem !== undefined) return problem;
    if (claim) claims.push(claim);
  }
  return claims;
}

function firstOf<T>(claims: readonly ResourceClaim[], find: (claim: ResourceClaim) => T | undefined): T | undefined {
  for (const claim of claims) {
    const found = find(claim);
    if (found !== undefined) return found;
  }
  return undefined;
}

const devicesOf = (objects: ObjectReader) => ({
  slices: objects.list(sliceStorage) as unknown as readonly ResourceSlice[],
  classes: objects.list(classStorage) as unknown as readonly DeviceClass[],
  claims: objects.list(claimStorage) as unknown as readonly ResourceClaim[],
});

function findMisfit({ claims, wanted, allocator, found, elsewhere }: State, { node, name }: NodeInfo): Misfit | undefined {
  const unreached = claims.filter(({ status }) => {
    const { nodeSelector } = status?.allocation ?? {};
    return nodeSelector !== undefined && !matchesNodeSelector(nodeSelector, node);
  });
  for (const claim of unreached) elsewhere.add(claim);
  if (unreached.length > 0) return unresolvable('resourceclaim not available on the node');
  if (!allocator || found.has(name)) return undefined;
  try {
    const result = allocator.allocate(node, wanted);
    if ('problem' in result) return unresolvable(result.problem);
    found.set(name, result.allocations);
    return undefined;
  } catch (error) {
    return unresolvable(`running "DynamicResources" filter plugin: ${errorMessage(error)}`);
  }
}

/** Frees an allocated claim that no other pod uses, so that its devices can be chosen again. */
function deallocation({ pod, elsewhere }: State): { text: string; writes?: ObjectWrite[] } {
  const isFree = ({ status }: ResourceClaim) => (status?.reservedFor ?? []).every(({ uid }) => uid === pod.metadata?.uid);
  const claim = [...elsewhere].find(isFree);
  if (!claim) return { text: 'still not schedulable' };
  const { allocation: _devices, reservedFor: _pods, devices: _reported, ...status } = claim.status ?? {};
  const after = { ...claim, status } as StoredObject;
  return { text: 'deallocation of ResourceClaim completed', writes: [{ storage: claimStorage, after, subresource: 'status' }] };
}

const foundFor = ({ found, wanted }: State, node: string, claim: ResourceClaim): AllocationResult | undefined =>
  found.get(node)?.[wanted.indexOf(claim)];

/** Writes the allocation of each claim and reserves it; waits for the conditions of its devices. */
function reservation(state: State, { name }: NodeInfo, time: string): Reservation | undefined {
  const writes: ObjectWrite[] = [];
  let isWaiting = false;
  for (const claim of state.claims) {
    const { namespace, name: claimName = '' } = claim.metadata ?? {};
    const current = (state.objects.get(claimStorage, namespace, claimName) as ResourceClaim | undefined) ?? claim;
    const allocation = current.status?.allocation ?? withTime(foundFor(state, name, claim), time);
    if (!isReservedFor(current, state.pod) && canBeReserved(current)) writes.push(...claimWrites(current, state.pod, allocation));
    isWaiting ||= !areConditionsMet(allocation, current);
  }
  return writes.length > 0 || isWaiting ? { writes, isWaiting } : undefined;
}

const withTime = (allocation: AllocationResult | undefined, allocationTimestamp: string): AllocationResult | undefined =>
  allocation && { ...allocation, allocationTimestamp };

function claimWrites(claim: ResourceClaim, pod: Pod, allocation: AllocationResult | undefined): ObjectWrite[] {
  const { resourceVersion: _version, ...metadata } = claim.metadata ?? {};
  const finalizers = metadata.finalizers ?? [];
  const isProtected = finalizers.includes(claimFinalizer);
  const kept = { ...claim, metadata: isProtected ? metadata : { ...metadata, finalizers: [...finalizers, claimFinalizer] } };
  const after = withConsumer({ ...kept, status: { ...claim.status, ...(allocation && { allocation }) } }, pod);
  const before = claim as StoredObject;
  return [
    ...(isProtected ? [] : [{ storage: claimStorage, before, after: kept as StoredObject }]),
    { storage: claimStorage, before, after: after as StoredObject, subresource: 'status' },
  ];
}
