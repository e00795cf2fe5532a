/**
 * Pod workers: one worker per pod, with the states sync, terminating and terminated, one sync at a time, and only the latest update
 * pending. The pure functions are exported from `@nodeagent/pod-workers/decisions`.
 *
 * @packageDocumentation
 */
export { podWorkersErrorCodes } from './errors.js';
export { createPodWorkers, type PodWorkersOptions, type TurnQueue } from './pod-workers.js';
export { podWorkersSettings } from './settings.js';
export { createWorkQueue, type WorkQueue, type WorkQueueOptions } from './work-queue.js';
