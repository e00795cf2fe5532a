import type { ContainerStats, FsStats, MemoryStats, NodeStats, Pod, PodStats, Summary } from '@nodeagent/api';
import { type Int64Input, podUid, toInt64 } from '@nodeagent/api/helpers';

/** Stats as a caller passes them: typed by `@nodeagent/api`, or as parsed JSON. A field that is absent is unknown. */
type StatsInput<Stats> = Stats extends bigint
  ? Int64Input
  : Stats extends readonly (infer Item)[]
    ? readonly StatsInput<Item>[]
    : Stats extends object
      ? { readonly [Field in keyof Stats]?: StatsInput<Stats[Field]> | undefined }
      : Stats;

/** The Summary API's stats. Eviction requires no field, and reads those of memory, file systems and processes. */
export type SummaryInput = StatsInput<Summary>;
export type NodeStatsInput = StatsInput<NodeStats>;
export type PodStatsInput = StatsInput<PodStats>;
export type ContainerStatsInput = StatsInput<ContainerStats>;
export type MemoryStatsInput = StatsInput<MemoryStats>;
export type FsStatsInput = StatsInput<FsStats>;

/** Returns the stats of a pod by its UID. */
export function statsByPod({ pods = [] }: SummaryInput): (pod: Pod) => PodStatsInput | undefined {
  const byUid = new Map(pods.map((stats) => [stats.podRef?.uid, stats]));
  return (pod) => byUid.get(podUid(pod));
}

/** A field as a bigint; undefined if it is absent. */
export function read<Key extends string>(
  usage: { readonly [K in Key]?: Int64Input | undefined } | undefined,
  key: Key,
): bigint | undefined {
  const value = usage?.[key];
  return value === undefined ? undefined : toInt64(key, value);
}
