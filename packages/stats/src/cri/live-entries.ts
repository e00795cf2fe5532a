import type { Container, PodSandbox } from '@nodeagent/cri-api';

/** The fields that identify a sandbox. */
export type SandboxEntry = Pick<PodSandbox, 'state' | 'createdAt' | 'metadata'>;

/**
 * The live sandboxes of pods, in the given order. Of several sandboxes with one namespace and name these are the ready ones, or the newest
 * if none is ready; a single one counts in any state.
 */
export function liveSandboxes<T extends SandboxEntry>(sandboxes: readonly T[]): T[] {
  const byPod = new Map<string, T[]>();
  for (const sandbox of sandboxes) {
    const key = `${sandbox.metadata?.namespace}/${sandbox.metadata?.name}`;
    const others = byPod.get(key);
    if (others === undefined) byPod.set(key, [sandbox]);
    else others.push(sandbox);
  }
  const live = new Set([...byPod.values()].flatMap(liveOfPod));
  return sandboxes.filter((sandbox) => live.has(sandbox));
}

function liveOfPod<T extends SandboxEntry>(sandboxes: T[]): T[] {
  if (sandboxes.length === 1) return sandboxes;
  const ready = sandboxes.filter(({ state }) => state === 'SANDBOX_READY');
  if (ready.length > 0) return ready;
  return [sandboxes.reduce((newest, sandbox) => (sandbox.createdAt > newest.createdAt ? sandbox : newest))];
}

/** The running containers: only these have stats. */
export function runningContainers<T extends Pick<Container, 'state'>>(containers: readonly T[]): T[] {
  return containers.filter(({ state }) => state === 'CONTAINER_RUNNING');
}
