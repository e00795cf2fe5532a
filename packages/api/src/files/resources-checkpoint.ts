import { fnv1a32 } from '../helpers/fnv.js';
import { isObject } from '../helpers/is-object.js';
import { Quantity } from '../helpers/quantity.js';
import type { ResourceRequirements } from '../objects/container.js';
import type { ResourceList } from '../objects/meta.js';

/** Resources of a pod: those of its containers, and its own. */
export interface CheckpointedPodResources {
  /** Resources of regular and init containers, by name. */
  containers: Readonly<Record<string, ResourceRequirements>>;
  /** Pod-level resources, if the pod has any. */
  pod?: ResourceRequirements;
}

/** Resources by pod UID. */
export type ResourcesCheckpoint = Readonly<Record<string, CheckpointedPodResources>>;

/**
 * Encodes the resources in the format of the kubelet's files `allocated_pods_state` and `actuated_pods_state`, so that the agent and a
 * kubelet can replace each other on a node: `{"data": "<json>", "checksum": <number>}`, with
 * `{"entries": {uid: {"ContainerResources": {name: resources}, "PodLevelResources": resources}}}` in `data`.
 */
export function encodeResourcesCheckpoint(resources: ResourcesCheckpoint): string {
  const entries = Object.entries(resources).map(([uid, { containers, pod }]) => {
    return [uid, { ContainerResources: containers, PodLevelResources: pod ?? null }] as const;
  });
  const data = JSON.stringify({ entries: Object.fromEntries(entries) });
  return JSON.stringify({ data, checksum: checksum(data) });
}

/** Decodes a file of {@link encodeResourcesCheckpoint} or a kubelet. Throws an Error that describes the problem. */
export function decodeResourcesCheckpoint(text: string): ResourcesCheckpoint {
  const file: unknown = JSON.parse(text);
  if (!isObject(file) || typeof file.data !== 'string') throw new Error('"data" is not a string');
  if (file.checksum !== checksum(file.data)) throw new Error('the checksum does not match');
  const data: unknown = JSON.parse(file.data);
  const entries = isObject(data) ? (data.entries ?? {}) : undefined;
  if (!isObject(entries)) throw new Error('"entries" is not an object');
  return Object.fromEntries(Object.entries(entries).map(([uid, entry]) => [uid, podResources(uid, entry)]));
}

/** The kubelet's checksum, which covers the string printed with its Go type. */
const checksum = (data: string) => fnv1a32(`(string)${data}`);

function podResources(uid: string, entry: unknown): CheckpointedPodResources {
  if (!isObject(entry)) throw new Error(`entry ${uid} is not an object`);
  const { ContainerResources: containers, PodLevelResources: pod } = entry;
  if (!isObject(containers ?? {})) throw new Error(`ContainerResources of ${uid} is not an object`);
  return {
    containers: Object.fromEntries(Object.entries(containers ?? {}).map(([name, each]) => [name, resources(uid, each)])),
    ...(pod !== undefined && pod !== null && { pod: resources(uid, pod) }),
  };
}

function resources(uid: string, value: unknown): ResourceRequirements {
  if (!isObject(value)) throw new Error(`resources of ${uid} are not an object`);
  const { requests, limits } = value;
  return {
    ...(requests !== undefined && { requests: amounts(uid, requests) }),
    ...(limits !== undefined && { limits: amounts(uid, limits) }),
  };
}

function amounts(uid: string, value: unknown): ResourceList {
  if (!isObject(value)) throw new Error(`amounts of ${uid} are not an object`);
  const list = Object.entries(value).map(([name, amount]) => {
    if (typeof amount !== 'string') throw new Error(`${name} of ${uid} is not a quantity`);
    Quantity.parse(amount);
    return [name, amount] as const;
  });
  return Object.fromEntries(list);
}
