import { type Clock, type Pod, settlesWithin } from '@nodeagent/api';
import { isSidecar } from '@nodeagent/api/helpers';

/**
 * The order in which a pod's containers are stopped: sidecars after all regular containers, the last sidecar first. Kubernetes
 * documentation, "Sidecar containers and Pod lifecycle: termination".
 */
export interface TerminationOrder {
  /** Waits until the container may be stopped, at most `limitSeconds`. Resolves with the seconds waited. Rejects when the agent stops. */
  waitForTurn(containerName: string, limitSeconds: number): Promise<number>;
  /** Call it when the container has stopped: releases the containers that wait for it. */
  containerTerminated(containerName: string): void;
}

/** The containers that must stop before this one; empty if it can stop at once. */
export function terminationPrerequisites(pod: Pod, containerName: string): string[] {
  const sidecars = (pod.spec?.initContainers ?? []).filter(isSidecar);
  const index = sidecars.findIndex(({ name }) => name === containerName);
  if (index === -1) return [];
  const later = sidecars[index + 1];
  return [...(pod.spec?.containers ?? []).map(({ name }) => name), ...(later ? [later.name] : [])];
}

/** The termination order for one kill of a pod. Containers that do not run count as stopped. */
export function createTerminationOrder(pod: Pod, running: readonly string[], clock: Clock, ended?: AbortSignal): TerminationOrder {
  const ends = new Map<string, { done: Promise<void>; resolve: () => void }>();
  for (const name of running) {
    let resolve = () => {};
    const done = new Promise<void>((settle) => {
      resolve = settle;
    });
    ends.set(name, { done, resolve });
  }
  return {
    async waitForTurn(containerName, limitSeconds) {
      const waits = terminationPrerequisites(pod, containerName).flatMap((name) => ends.get(name)?.done ?? []);
      if (waits.length === 0) return 0;
      const start = clock.monotonic();
      await settlesWithin(Promise.all(waits), { clock, timeoutMs: limitSeconds * 1000, signal: ended });
      return (clock.monotonic() - start) / 1000;
    },
    containerTerminated: (containerName) => ends.get(containerName)?.resolve(),
  };
}
