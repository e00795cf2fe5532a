import type { ContainerEventType, ContainerStatus, PodSandboxStatus } from '@nodeagent/cri-api';
import type { EventHub } from './events.js';

/** What an event has beside its type and ID. */
interface EventPublisherPorts {
  events: EventHub;
  /** Nanoseconds since 1970. */
  now(): bigint;
  /** Undefined for a sandbox that was removed. */
  sandboxStatus(sandboxId: string): PodSandboxStatus | undefined;
  containerStatuses(sandboxId: string): ContainerStatus[];
}

/** Publishes an event of a container or a sandbox, with the statuses of all of the sandbox. */
export type PublishEvent = (type: ContainerEventType, id: string, sandboxId: string) => void;

export function createEventPublisher({ events, now, sandboxStatus, containerStatuses }: EventPublisherPorts): PublishEvent {
  return (type, id, sandboxId) => {
    const status = sandboxStatus(sandboxId);
    events.publish({
      containerId: id,
      containerEventType: type,
      createdAt: now(),
      ...(status && { podSandboxStatus: status }),
      containersStatuses: containerStatuses(sandboxId),
    });
  };
}
