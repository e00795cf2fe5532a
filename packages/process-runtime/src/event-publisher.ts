import type { ContainerEventType, ContainerFilter, ContainerStatus, PodSandboxStatus } from '@nodeagent/cri-api';
import type { EventHub } from './events.js';

/** The sandboxes and containers of a runtime. */
interface Tables<Sandbox, Container> {
  sandboxes: { find(id: string): Sandbox | undefined };
  containers: { list(filter: ContainerFilter): Container[] };
}

interface EventPublisherPorts<Sandbox, Container> {
  events: EventHub;
  /** Nanoseconds since 1970. */
  now(): bigint;
  /** Called at each event: the tables publish events themselves. */
  tables(): Tables<Sandbox, Container>;
  toSandboxStatus(sandbox: Sandbox): PodSandboxStatus;
  toContainerStatus(container: Container): ContainerStatus;
}

/** Publishes an event of a container or a sandbox, with the statuses of all of the sandbox. */
export type PublishEvent = (type: ContainerEventType, id: string, sandboxId: string) => void;

export function createEventPublisher<Sandbox, Container>(ports: EventPublisherPorts<Sandbox, Container>): PublishEvent {
  const { events, now, tables, toSandboxStatus, toContainerStatus } = ports;
  return (type, id, sandboxId) => {
    const { sandboxes, containers } = tables();
    const sandbox = sandboxes.find(sandboxId);
    events.publish({
      containerId: id,
      containerEventType: type,
      createdAt: now(),
      ...(sandbox && { podSandboxStatus: toSandboxStatus(sandbox) }),
      containersStatuses: containers.list({ podSandboxId: sandboxId }).map(toContainerStatus),
    });
  };
}
