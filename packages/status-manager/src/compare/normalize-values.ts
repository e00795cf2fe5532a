import type { ContainerState, ContainerStateTerminated, ContainerStatus, Pod, PodCondition, Time } from '@nodeagent/api';
import { formatTime, parseTime } from '@nodeagent/api/helpers';

/** Total limit in bytes of a pod's termination messages. */
const terminationMessageBytes = 12 * 1024;

/** A list of containers with whole seconds, and termination messages that share the pod's limit. */
export function normalizeContainers(list: ContainerStatus[], { spec }: Pod): ContainerStatus[] {
  const { containers, initContainers, ephemeralContainers } = spec ?? {};
  const count = (containers?.length ?? 0) + (initContainers?.length ?? 0) + (ephemeralContainers?.length ?? 0);
  const budget = Math.floor(terminationMessageBytes / Math.max(count, 1));
  return mapChanged(list, (container) => normalizeContainer(container, budget));
}

export function normalizeConditions(conditions: PodCondition[]): PodCondition[] {
  return mapChanged(conditions, normalizeCondition);
}

function normalizeCondition(condition: PodCondition): PodCondition {
  return withChanges(condition, {
    lastProbeTime: wholeSeconds(condition.lastProbeTime),
    lastTransitionTime: wholeSeconds(condition.lastTransitionTime),
  });
}

function normalizeContainer(container: ContainerStatus, budget: number): ContainerStatus {
  return withChanges(container, {
    state: container.state && normalizeState(container.state, budget),
    lastState: container.lastState && normalizeState(container.lastState, budget),
  });
}

function normalizeState(state: ContainerState, budget: number): ContainerState {
  return withChanges(state, {
    running: state.running && withChanges(state.running, { startedAt: wholeSeconds(state.running.startedAt) }),
    terminated: state.terminated && normalizeTerminated(state.terminated, budget),
  });
}

function normalizeTerminated(terminated: ContainerStateTerminated, budget: number): ContainerStateTerminated {
  return withChanges(terminated, {
    startedAt: wholeSeconds(terminated.startedAt),
    finishedAt: wholeSeconds(terminated.finishedAt),
    message: terminated.message && cutToBytes(terminated.message, budget),
  });
}

const normalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The time in whole seconds of UTC; an invalid one as it is. */
export function wholeSeconds<T extends Time | null | undefined>(time: T): T | Time {
  if (!time || normalTime.test(time)) return time;
  const ms = parseTime(time);
  return ms === undefined ? time : formatTime(ms);
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The first bytes of the text's UTF-8 form; a character that is cut becomes U+FFFD, as in the API's JSON. */
function cutToBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  const encoded = encoder.encode(text);
  return encoded.length <= bytes ? text : decoder.decode(encoded.subarray(0, bytes));
}

/** The object with these fields; the same object if it has them already. */
function withChanges<T extends object>(object: T, fields: { [K in keyof T]?: T[K] | undefined }): T {
  for (const key in fields) if (fields[key] !== object[key]) return { ...object, ...fields };
  return object;
}

/** The list mapped, or itself if no element changes. */
function mapChanged<T>(list: T[], map: (element: T) => T): T[] {
  let changed: T[] | undefined;
  list.forEach((element, index) => {
    const mapped = map(element);
    if (mapped === element) return;
    changed ??= list.slice();
    changed[index] = mapped;
  });
  return changed ?? list;
}
