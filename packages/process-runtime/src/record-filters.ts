import type { ContainerFilter, PodSandboxFilter } from '@nodeagent/cri-api';
import type { ContainerRecord, SandboxRecord } from './records.js';

/** Whether a sandbox matches a filter; absent fields match all. The id may be a prefix. */
export function matchesSandbox(record: Pick<SandboxRecord, 'id' | 'state' | 'config'>, filter: PodSandboxFilter | undefined): boolean {
  return (
    record.id.startsWith(filter?.id ?? '') &&
    (filter?.state === undefined || record.state === (filter.state.state ?? 'SANDBOX_READY')) &&
    hasLabels(record.config.labels, filter?.labelSelector)
  );
}

/** Whether a container matches a filter; absent fields match all. Ids may be prefixes. */
export function matchesContainer(
  record: Pick<ContainerRecord, 'id' | 'podSandboxId' | 'state' | 'config'>,
  filter: ContainerFilter | undefined,
): boolean {
  return (
    record.id.startsWith(filter?.id ?? '') &&
    record.podSandboxId.startsWith(filter?.podSandboxId ?? '') &&
    (filter?.state === undefined || record.state === (filter.state.state ?? 'CONTAINER_CREATED')) &&
    hasLabels(record.config.labels, filter?.labelSelector)
  );
}

function hasLabels(labels: Record<string, string> = {}, selector: Record<string, string> = {}): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}
