import type { MemoryNode } from '../memory-node.js';
import type { ContainerRecord, SandboxRecord } from '../records.js';
import { matchesContainer, matchesSandbox } from '../views.js';

/** Number of items in one message of a streamed listing. */
const streamChunk = 100;

/** The containers that a filter selects. */
export function containersOf(node: MemoryNode, filter: Parameters<typeof matchesContainer>[1]): ContainerRecord[] {
  const { id, podSandboxId, labelSelector } = filter ?? {};
  const ofSandbox = podSandboxId ? (node.sandboxes.get(podSandboxId)?.containers ?? []) : undefined;
  const found = id ? one(node.containers.get(id)) : (ofSandbox ?? node.containers.candidates(labelSelector));
  return [...found].filter((record) => matchesContainer(record, filter));
}

/** The sandboxes that a filter selects. */
export function sandboxesOf(node: MemoryNode, filter: Parameters<typeof matchesSandbox>[1]): SandboxRecord[] {
  const found = filter?.id ? one(node.sandboxes.get(filter.id)) : node.sandboxes.candidates(filter?.labelSelector);
  return [...found].filter((record) => matchesSandbox(record, filter));
}

/** The messages of a streamed listing. */
export async function* chunks<T, R>(items: T[], wrap: (chunk: T[]) => R): AsyncGenerator<R, void, undefined> {
  for (let from = 0; from < items.length; from += streamChunk) yield wrap(items.slice(from, from + streamChunk));
}

function one<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
