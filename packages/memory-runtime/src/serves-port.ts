import type { ContainerRecord } from './records.js';

/** Whether the container responds on the port at a clock time in milliseconds: by its script, default true while it runs. */
export function servesPort({ state, behaviour, startedMs }: ContainerRecord, port: number, now: number): boolean {
  if (state !== 'CONTAINER_RUNNING') return false;
  const { serves = true } = behaviour;
  return typeof serves === 'function' ? serves(now - startedMs, port) : serves;
}
