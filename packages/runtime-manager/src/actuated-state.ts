import { readFile } from 'node:fs/promises';
import { NodeAgentError, type ResourceRequirements, replaceFile } from '@nodeagent/api';
import { errorCodes } from './errors.js';

/** The resources last applied to one pod. */
export interface ActuatedPod {
  /** By container name. */
  containers: Record<string, ResourceRequirements>;
  /** The pod-level ones, if the pod has any. */
  pod?: ResourceRequirements;
}

/** By pod UID. */
export type ActuatedState = Record<string, ActuatedPod>;

/** Remembers over restarts of the agent what was applied to running containers: the CRI does not report all of it. */
export interface ActuatedStateStore {
  /** What was saved last; undefined if nothing was. Rejects if it cannot be read. */
  load(): Promise<ActuatedState | undefined>;
  /** Replaces it as a whole. Called one at a time. */
  save(state: ActuatedState): Promise<void>;
}

/**
 * The state in a JSON file, readable by the owner only; a new one takes the place of the old one at once. The kubelet's is
 * `actuated_pods_state` in its root folder.
 */
export function createFileActuatedState(path: string): ActuatedStateStore {
  return {
    async load() {
      let text: string;
      try {
        text = await readFile(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
      return parseState(text, path);
    },
    save: (state) => replaceFile(path, JSON.stringify({ entries: state })),
  };
}

function parseState(text: string, path: string): ActuatedState {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw unreadable(path, cause);
  }
  const entries = isObject(value) ? value.entries : undefined;
  if (!isObject(entries)) throw unreadable(path);
  const state: ActuatedState = {};
  for (const [uid, entry] of Object.entries(entries)) {
    if (!isObject(entry) || !isObject(entry.containers)) throw unreadable(path);
    const containers: ActuatedPod['containers'] = {};
    for (const [name, resources] of Object.entries(entry.containers)) containers[name] = parseResources(resources, path);
    state[uid] = { containers, ...(entry.pod !== undefined && { pod: parseResources(entry.pod, path) }) };
  }
  return state;
}

function parseResources(value: unknown, path: string): ResourceRequirements {
  if (!isObject(value)) throw unreadable(path);
  const resources: ResourceRequirements = {};
  for (const field of ['requests', 'limits'] as const) {
    const list = value[field];
    if (list === undefined) continue;
    if (!isObject(list)) throw unreadable(path);
    const amounts = Object.entries(list).map(([name, amount]) => {
      if (typeof amount !== 'string') throw unreadable(path);
      return [name, amount] as const;
    });
    resources[field] = Object.fromEntries(amounts);
  }
  return resources;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function unreadable(path: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(errorCodes.actuatedState, `${path}: not a list of applied resources`, { cause, details: { path } });
}
