/**
 * One worker a pod: the state machine from sync over terminating to terminated, one sync at a time, the latest update wins.
 * The pure functions and parts that it is made of are in `@nodeagent/pod-workers/decisions`.
 *
 * @packageDocumentation
 */
export { podWorkersErrorCodes } from './errors.js';
export { createPodWorkers, type PodWorkersOptions } from './pod-workers.js';
export { createWorkQueue, type WorkQueue, type WorkQueueOptions } from './work-queue.js';
