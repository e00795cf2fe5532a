import type { ContainerStatus, PodStatus } from '@nodeagent/api';
import type { WaitingReason } from '@nodeagent/status-manager';

/**
 * The status in which terminated containers in back-off wait, with the reason. The reported status is that of the last sync, which found the
 * terminated container before it met the back-off, as in a kubelet; the next sync, when the back-off ends, reports it.
 */
export function withBackOffs(status: PodStatus, reasons: Readonly<Record<string, WaitingReason>>): PodStatus {
  const each = (container: ContainerStatus): ContainerStatus => {
    const waiting = reasons[container.name];
    const { terminated } = container.state ?? {};
    if (waiting === undefined || !terminated) return container;
    return { ...container, state: { waiting: { ...waiting } }, lastState: { terminated } };
  };
  const { initContainerStatuses, containerStatuses } = status;
  return {
    ...status,
    ...(initContainerStatuses && { initContainerStatuses: initContainerStatuses.map(each) }),
    ...(containerStatuses && { containerStatuses: containerStatuses.map(each) }),
  };
}
