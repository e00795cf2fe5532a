import { podUid } from '@nodeagent/api/helpers';
import type { PagePod } from './options.js';

/** The usage of a pod, a container or the node. Absent values are unknown. */
export interface Usage {
  /** CPU cores. */
  cpu?: number;
  /** Bytes of memory, the working set. */
  memory?: number;
}

/** The usage of the node and of its pods at one time. */
export interface UsageSample {
  /** Milliseconds since 1970. */
  at: number;
  node: Usage & { rx?: number; tx?: number; disk?: number };
  /** By UID, with the number of restarts. */
  pods: Readonly<Record<string, Usage & { restarts?: number }>>;
}

/** Samples of one subject, oldest first; null where a value is unknown. */
export interface UsageSeries {
  /** Milliseconds since 1970. */
  times: number[];
  values: Record<string, (number | null)[]>;
}

/** The newest samples in memory. */
export interface UsageHistory {
  add(sample: UsageSample): void;
  latest(): UsageSample | undefined;
  ofNode(): UsageSeries;
  ofPod(uid: string): UsageSeries;
  clear(): void;
}

const nodeValues = ['cpu', 'memory', 'rx', 'tx', 'disk'] as const;
const podValues = ['cpu', 'memory', 'restarts'] as const;

/** Keeps the newest `length` samples. A pod's are dropped with the first sample without it. */
export function createUsageHistory(length: number): UsageHistory {
  /** The time of each sample, in a ring: the n-th is at `n % length`. */
  const times = new Float64Array(length);
  const subjects = new Map<string, Map<string, Float64Array>>();
  let count = 0;
  let latest: UsageSample | undefined;

  const put = (subject: string, names: readonly string[], values: Readonly<Record<string, number | undefined>>) => {
    const series = subjects.get(subject) ?? new Map(names.map((name) => [name, new Float64Array(length).fill(Number.NaN)]));
    subjects.set(subject, series);
    for (const [name, ring] of series) ring[count % length] = values[name] ?? Number.NaN;
  };
  const read = (subject: string): UsageSeries => {
    const first = Math.max(0, count - length);
    const inOrder = (ring: Float64Array) =>
      Array.from({ length: count - first }, (_, index) => ring[(first + index) % length] ?? Number.NaN);
    const series = subjects.get(subject) ?? new Map<string, Float64Array>();
    return {
      times: inOrder(times),
      values: Object.fromEntries(
        Array.from(series, ([name, ring]) => [name, inOrder(ring).map((value) => (Number.isNaN(value) ? null : value))]),
      ),
    };
  };
  return {
    add(sample) {
      for (const subject of subjects.keys()) if (subject !== '' && !(subject in sample.pods)) subjects.delete(subject);
      times[count % length] = sample.at;
      put('', nodeValues, { ...sample.node });
      for (const [uid, usage] of Object.entries(sample.pods)) put(uid, podValues, { ...usage });
      count += 1;
      latest = sample;
    },
    latest: () => latest,
    ofNode: () => read(''),
    ofPod: read,
    clear() {
      subjects.clear();
      count = 0;
      latest = undefined;
    },
  };
}

/** The restarts of all containers of each pod. */
export function restartsOf(pods: readonly PagePod[]): Map<string, number> {
  const sum = ({ containerStatuses = [], initContainerStatuses = [] }: PagePod['status']) =>
    [...containerStatuses, ...initContainerStatuses].reduce((total, { restartCount = 0 }) => total + restartCount, 0);
  return new Map(pods.map(({ pod, status }) => [podUid(pod), sum(status)]));
}
