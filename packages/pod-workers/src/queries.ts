import type { PodWorkers } from '@nodeagent/api';
import type { PodWorkerRecord } from './record.js';

/** Queries about one pod, answered from its record, or for an unknown pod from whether the desired pods are known. */
export type PodWorkerQueries = Pick<
  PodWorkers,
  | 'isPodKnownTerminated'
  | 'couldHaveRunningContainers'
  | 'shouldPodBeFinished'
  | 'isPodTerminationRequested'
  | 'shouldPodContainersBeTerminating'
  | 'shouldPodRuntimeBeRemoved'
  | 'shouldPodContentBeRemoved'
>;

/** The records that the queries read. */
export interface PodWorkerRecords {
  record(uid: string): PodWorkerRecord | undefined;
  readonly podsSynced: boolean;
}

/** Creates the queries. An unknown pod may be running until the first list of desired pods; after that it is not. */
export function createPodWorkerQueries(records: PodWorkerRecords): PodWorkerQueries {
  const query = (uid: string, unknown: boolean, answer: (record: PodWorkerRecord) => boolean): boolean => {
    const record = records.record(uid);
    return record === undefined ? unknown : answer(record);
  };
  return {
    isPodKnownTerminated: (uid) => query(uid, false, ({ terminatedAt }) => terminatedAt !== undefined),
    couldHaveRunningContainers: (uid) => query(uid, !records.podsSynced, ({ terminatedAt }) => terminatedAt === undefined),
    shouldPodBeFinished: (uid) => query(uid, records.podsSynced, ({ finished }) => finished),
    isPodTerminationRequested: (uid) => query(uid, false, ({ terminatingAt }) => terminatingAt !== undefined),
    shouldPodContainersBeTerminating: (uid) => query(uid, records.podsSynced, ({ startedTerminating }) => startedTerminating),
    shouldPodRuntimeBeRemoved: (uid) => query(uid, records.podsSynced, ({ terminatedAt }) => terminatedAt !== undefined),
    shouldPodContentBeRemoved: (uid) =>
      query(uid, records.podsSynced, ({ evicted, deleted, terminatedAt }) => evicted || (deleted && terminatedAt !== undefined)),
  };
}
