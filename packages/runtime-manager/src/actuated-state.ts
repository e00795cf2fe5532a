import { createCheckpointFile, isObject, type ResourceRequirements } from '@nodeagent/api';
import { runtimeManagerErrorCodes } from './errors.js';

/** The resources last applied to one pod. */
export interface ActuatedPod {
  /** By container name. */
  containers: Record<string, ResourceRequirements>;
  /** The pod-level ones, if the pod has any. */
  pod?: ResourceRequirements;
}

/** By pod UID. */
export type ActuatedState = Record<string, ActuatedPod>;

/** Stores the resources applied to running containers across restarts of the agent: the CRI does not report all of them. */
export interface ActuatedStateStore {
  /** The last saved state; undefined if none was saved. Rejects if it cannot be read. */
  load(): Promise<ActuatedState | undefined>;
  /** Replaces the whole state. Calls do not overlap. */
  save(state: ActuatedState): Promise<void>;
}

/**
 * The state in a checkpoint file; the kubelet's is `actuated_pods_state` in its root folder. `load` renames a damaged file to
 * `<path>.broken` and rejects with `InvalidActuatedState`.
 */
export function createFileActuatedState(path: string): ActuatedStateStore {
  return createCheckpointFile({
    path,
    encode: (entries) => JSON.stringify({ entries }),
    decode: decodeState,
    damagedCode: runtimeManagerErrorCodes.actuatedState,
  });
}

function decodeState(text: string): ActuatedState {
  const value: unknown = JSON.parse(text);
  const entries = isObject(value) ? value.entries : undefined;
  if (!isObject(entries)) throw invalid();
  const state: ActuatedState = {};
  for (const [uid, entry] of Object.entries(entries)) {
    if (!isObject(entry) || !isObject(entry.containers)) throw invalid();
    const containers: ActuatedPod['containers'] = {};
    for (const [name, resources] of Object.entries(entry.containers)) containers[name] = decodeResources(resources);
    state[uid] = { containers, ...(entry.pod !== undefined && { pod: decodeResources(entry.pod) }) };
  }
  return state;
}

function decodeResources(value: unknown): ResourceRequirements {
  if (!isObject(value)) throw invalid();
  const resources: ResourceRequirements = {};
  for (const field of ['requests', 'limits'] as const) {
    const list = value[field];
    if (list === undefined) continue;
    if (!isObject(list)) throw invalid();
    const amounts = Object.entries(list).map(([name, amount]) => {
      if (typeof amount !== 'string') throw invalid();
      return [name, amount] as const;
    });
    resources[field] = Object.fromEntries(amounts);
  }
  return resources;
}

const invalid = () => new Error('not a list of applied resources');
