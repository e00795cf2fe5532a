import type { PodStatus } from '@nodeagent/api';

/** A container of a pod that ended. */
export interface ContainerEnding {
  /** The same for the same end. */
  id: string;
  container: string;
  /** `ended with exit code 1 (Error)`. */
  text: string;
}

/** The ends of containers that a status tells of: the last of each container and the one before it. */
export function containerEndings({ initContainerStatuses = [], containerStatuses = [] }: PodStatus): ContainerEnding[] {
  return [...initContainerStatuses, ...containerStatuses].flatMap(({ name, state, lastState }) =>
    [lastState?.terminated, state?.terminated].flatMap((ended) => {
      // Without an id there was no container: the pod ended before it, and the status only says so.
      if (!ended?.containerID) return [];
      const { exitCode, signal, reason, containerID } = ended;
      const how = signal ? `signal ${signal}` : `exit code ${exitCode}`;
      return [{ id: `${name} ${containerID}`, container: name, text: `ended with ${how}${reason ? ` (${reason})` : ''}` }];
    }),
  );
}
