import type { ContainerStatus, Pod } from '@nodeagent/api';
import { eventsOf, type PodEvent } from '../containers/pod-events.js';
import { explainPod } from '../explain/explain-pod.js';
import { withoutUids } from '../timeline/brief-text.js';

/** What a page shows of the selected pod. */
export interface PodDetailsModel {
  namespace: string;
  name: string;
  /** Why the pod is in its state and what happens next. */
  sentence: string;
  conditions: { type: string; status: string; text: string }[];
  /** Init containers first. */
  containers: { name: string; image: string; state: string; restarts: number; logs: string[] }[];
  /** Newest first. `at` is in milliseconds since 1970. */
  events: { at: number; count: number; warning: boolean; text: string }[];
}

export interface PodDetailsOptions {
  /** Milliseconds since 1970. */
  now: number;
  /** The events about the pod. */
  events: readonly PodEvent[];
  /** The last lines of a container's log. Default: none. */
  logs?(container: string): string[];
}

/** Newest events that are shown. */
const maxEvents = 50;

/** A pod in detail. */
export function podDetails(pod: Pod, { now, events, logs = () => [] }: PodDetailsOptions): PodDetailsModel {
  const { metadata, spec, status } = pod;
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return {
    namespace: metadata?.namespace ?? '',
    name: metadata?.name ?? '',
    sentence: explainPod(pod, { now, events }).sentence,
    conditions: (status?.conditions ?? []).map(({ type, status: value, reason, message }) => ({
      type,
      status: value,
      text: [reason, message].filter(Boolean).join(': '),
    })),
    containers: [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ name, image = '' }) => {
      const own = statuses.find((each) => each.name === name);
      return { name, image, state: stateText(own), restarts: own?.restartCount ?? 0, logs: logs(name) };
    }),
    events: eventsOf(pod, events)
      .slice(0, maxEvents)
      .map(({ at, count, warning, reason, message }) => ({ at, count, warning, text: `${reason}: ${withoutUids(message)}` })),
  };
}

function stateText(status: ContainerStatus | undefined): string {
  const { waiting, running, terminated } = status?.state ?? {};
  if (running) return status?.ready ? 'running, ready' : 'running, not ready';
  if (terminated) return `exited with ${terminated.exitCode} (${terminated.reason ?? 'no reason'})`;
  if (waiting) return `waits: ${withoutUids([waiting.reason, waiting.message].filter(Boolean).join(': '))}`;
  return 'not created';
}
