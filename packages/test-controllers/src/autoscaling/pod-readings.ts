import type { Container, Pod } from '@nodeagent/api';
import { isPodReady, parseTime, podRequests, Quantity } from '@nodeagent/api/helpers';

/** CPU is ignored so long after the start of a pod that is not ready: `--horizontal-pod-autoscaler-cpu-initialization-period`. */
const cpuInitializationMs = 5 * 60_000;
/** A pod that became unready within this time has never been ready: `--horizontal-pod-autoscaler-initial-readiness-delay`. */
const initialReadinessMs = 30_000;
/** Usage is an average over this time. */
const windowMs = 10_000;

/** The pods of a target by what their metric counts for. */
export interface PodReadings {
  /** The values that count. */
  values: Map<string, number>;
  readyCount: number;
  /** Pods that do not count until they are ready. */
  unready: string[];
  /** Pods without a value. */
  missing: string[];
}

/**
 * Sorts the pods of an autoscaler's target: Kubernetes documentation, "Horizontal Pod Autoscaling", "Algorithm details". `now` is in milliseconds
 * since 1970, and the time of the values.
 */
export function podReadings(pods: readonly Pod[], values: ReadonlyMap<string, number>, isCpu: boolean, now: number): PodReadings {
  const counted = new Map(values);
  const readings: PodReadings = { values: counted, readyCount: 0, unready: [], missing: [] };
  for (const pod of pods) {
    const name = pod.metadata?.name ?? '';
    const phase = pod.status?.phase;
    const isIgnored = pod.metadata?.deletionTimestamp !== undefined || phase === 'Failed';
    if (isIgnored) counted.delete(name);
    else if (phase === 'Pending' || (values.has(name) && isCpu && isInitializing(pod, now))) {
      counted.delete(name);
      readings.unready.push(name);
    } else if (values.has(name)) readings.readyCount++;
    else readings.missing.push(name);
  }
  return readings;
}

function isInitializing({ status }: Pod, now: number): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const startedAt = parseTime(status?.startTime);
  if (!ready || startedAt === undefined) return true;
  const changedAt = parseTime(ready.lastTransitionTime) ?? startedAt;
  const isUnready = ready.status === 'False';
  if (startedAt + cpuInitializationMs > now) return isUnready || now < changedAt + windowMs;
  return isUnready && startedAt + initialReadinessMs > changedAt;
}

/** The number of running and ready pods; undefined if there is no pod at all. */
export function readyPodCount(pods: readonly Pod[]): number | undefined {
  return pods.length === 0 ? undefined : pods.filter((pod) => pod.status?.phase === 'Running' && isPodReady(pod)).length;
}

/** The requests of the pods in thousandths, of one container if it is given. Returns a problem if one has none. */
export function requestsOf(
  pods: readonly Pod[],
  resource: string,
  container: string | undefined,
): { requests: Map<string, number> } | { problem: string } {
  const requests = new Map<string, number>();
  for (const pod of pods) {
    const found = container === undefined && hasPodLevelRequests(pod) ? podLevel(pod, resource) : ofContainers(pod, resource, container);
    if (typeof found === 'string') return { problem: found };
    requests.set(pod.metadata?.name ?? '', found);
  }
  return { requests };
}

const hasPodLevelRequests = ({ spec }: Pod) => Object.keys(spec?.resources?.requests ?? {}).length > 0;

function podLevel(pod: Pod, resource: string): number | string {
  const amount = podRequests(pod).get(resource);
  return amount ? Number(amount.milliValue()) : `missing pod-level request for ${resource} in Pod ${pod.metadata?.name}`;
}

function ofContainers(pod: Pod, resource: string, only: string | undefined): number | string {
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const all: Container[] = [...(pod.spec?.containers ?? []), ...sidecars];
  const chosen = only === undefined ? all : all.filter(({ name }) => name === only);
  if (only !== undefined && chosen.length === 0) return `container ${only} not found in Pod ${pod.metadata?.name}`;
  let sum = 0;
  for (const { name, resources } of chosen) {
    const amount = resources?.requests?.[resource];
    if (amount === undefined) return `missing request for ${resource} in container ${name} of Pod ${pod.metadata?.name}`;
    sum += Number(Quantity.parse(amount).milliValue());
  }
  return sum;
}
