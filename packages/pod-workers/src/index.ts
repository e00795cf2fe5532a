/**
 * One worker a pod: the state machine from sync over terminating to terminated, one sync at a time, the latest update wins.
 * The pure functions and parts that it is made of are in `@nodeagent/pod-workers/decisions`.
 *
 * @packageDocumentation
 */
export { podWorkersErrorCodes } from './errors.js';
export type { PodWorkerExplanation, PodWorkerLastSync, PodWorkerNotes, PodWorkerWait } from './explain.js';
export type { KillPodNowOptions } from './kill-pod.js';
export { createPodWorkers, type ManagedPodWorkers, type PodWorkersOptions } from './pod-workers.js';
export type { PodWorkerEnd } from './record.js';
export { createWorkQueue, type WorkQueue, type WorkQueueOptions } from './work-queue.js';
