import type { Pod } from '@nodeagent/api';
import { type PodReadings, podReadings, readyPodCount, requestsOf } from './pod-readings.js';

/** The ratios of usage to target at which nothing changes. */
export interface Tolerances {
  scaleUp: number;
  scaleDown: number;
}

/** A number of replicas that a metric asks for, with the usage it was computed from; or why it asks for none. */
export type ReplicaCount = { replicas: number; usage: number; utilization?: number } | { problem: string };

interface Input {
  pods: readonly Pod[];
  /** The replicas that the target asks for now. */
  replicas: number;
  tolerances: Tolerances;
  /** Milliseconds since 1970. */
  now: number;
}

const maxReplicas = 2 ** 31 - 1;
const isWithin = (ratio: number, { scaleUp, scaleDown }: Tolerances) => 1 - scaleDown <= ratio && ratio <= 1 + scaleUp;
const wholeUp = (count: number) => Math.min(Math.ceil(count), maxReplicas);

/** Ratio of usage to target, and the usage of a pod. */
interface Usage {
  ratio: number;
  usage: number;
  utilization?: number;
}

/** What the pods use of a resource, as a percentage of their requests or as an average. Amounts are in thousandths. */
export function podReplicas(
  input: Input,
  values: ReadonlyMap<string, number>,
  target: { average: number } | { percent: number; resource: string; container?: string | undefined },
  isCpu: boolean,
): ReplicaCount {
  const { pods, now } = input;
  if (pods.length === 0) return { problem: 'no pods returned by selector while calculating replica count' };
  const readings = podReadings(pods, values, isCpu, now);
  if (readings.values.size === 0) return { problem: 'did not receive metrics for targeted pods (pods might be unready)' };
  if ('average' in target) return fromReadings(input, readings, averageOf(target.average), () => target.average);
  const found = requestsOf(pods, target.resource, target.container);
  if ('problem' in found) return found;
  const { requests } = found;
  const missingPercent = Math.max(100, target.percent);
  return fromReadings(input, readings, utilizationOf(requests, target.percent), (pod) =>
    Math.trunc(((requests.get(pod) ?? 0) * missingPercent) / 100),
  );
}

/** `missingUsage`: what a pod without a value counts for when usage is below the target. */
function fromReadings(
  { replicas, tolerances }: Input,
  { values, readyCount, unready, missing }: PodReadings,
  measure: (values: ReadonlyMap<string, number>) => Usage | undefined,
  missingUsage: (pod: string) => number,
): ReplicaCount {
  const first = measure(values);
  if (!first) return { problem: 'no metrics returned matched known pods' };
  const { ratio, ...usage } = first;
  const same = { replicas, ...usage };
  const isAbove = ratio > 1;
  const addsUnready = isAbove && unready.length > 0;
  if (!addsUnready && missing.length === 0) return isWithin(ratio, tolerances) ? same : { ...usage, replicas: wholeUp(ratio * readyCount) };
  // Pods without a value dampen the change: they count as idle when usage is above the target, and as busy when it is below.
  if (ratio !== 1) for (const pod of missing) values.set(pod, isAbove ? 0 : missingUsage(pod));
  if (addsUnready) for (const pod of unready) values.set(pod, 0);
  const dampened = measure(values)?.ratio ?? 0;
  const isReversed = (ratio < 1 && dampened > 1) || (isAbove && dampened < 1);
  if (isWithin(dampened, tolerances) || isReversed) return same;
  const wanted = wholeUp(dampened * values.size);
  return (dampened < 1 && wanted > replicas) || (dampened > 1 && wanted < replicas) ? same : { ...usage, replicas: wanted };
}

const total = (values: Iterable<number>) => [...values].reduce((sum, each) => sum + each, 0);

const averageOf = (target: number) => (values: ReadonlyMap<string, number>) => {
  const usage = Math.trunc(total(values.values()) / values.size);
  return { ratio: usage / target, usage };
};

const utilizationOf = (requests: ReadonlyMap<string, number>, percent: number) => (values: ReadonlyMap<string, number>) => {
  const known = [...values].filter(([pod]) => requests.has(pod));
  const requested = total(known.map(([pod]) => requests.get(pod) ?? 0));
  if (requested === 0) return undefined;
  const used = total(known.map(([, value]) => value));
  const utilization = Math.trunc((used * 100) / requested);
  return { ratio: utilization / percent, usage: Math.trunc(used / known.length), utilization };
};

/** For a value of the whole target, such as the requests per second of a Service. */
export function valueReplicas({ pods, replicas, tolerances }: Input, usage: number, target: number): ReplicaCount {
  const ratio = usage / target;
  if (isWithin(ratio, tolerances)) return { replicas, usage };
  const ready = readyPodCount(pods);
  if (ready === undefined)
    return { problem: 'unable to calculate ready pods: no pods returned by selector while calculating replica count' };
  return { replicas: wholeUp(ratio * ready), usage };
}

/** For a value that is shared by the pods, such as the length of a queue. `current`: the replicas in the status of the target. */
export function sharedReplicas({ tolerances }: Pick<Input, 'tolerances'>, current: number, usage: number, target: number): ReplicaCount {
  const replicas = isWithin(usage / (target * current), tolerances) ? current : wholeUp(usage / target);
  return { replicas, usage: Math.ceil(usage / Math.max(current, 1)) };
}
