import type { PodStatus } from '@nodeagent/api';

/** A terminated container of a pod. */
export interface ContainerTermination {
  /** Identifies the termination. */
  id: string;
  container: string;
  /** `terminated with exit code 1 (Error)`. */
  text: string;
}

/** The terminations in a status: the last and the previous one of each container. */
export function containerTerminations({ initContainerStatuses = [], containerStatuses = [] }: PodStatus): ContainerTermination[] {
  return [...initContainerStatuses, ...containerStatuses].flatMap(({ name, state, lastState }) =>
    [lastState?.terminated, state?.terminated].flatMap((ended) => {
      // Without an id the container was never created: the pod terminated before.
      if (!ended?.containerID) return [];
      const { exitCode, signal, reason, containerID } = ended;
      const how = signal ? `signal ${signal}` : `exit code ${exitCode}`;
      return [{ id: `${name} ${containerID}`, container: name, text: `terminated with ${how}${reason ? ` (${reason})` : ''}` }];
    }),
  );
}
