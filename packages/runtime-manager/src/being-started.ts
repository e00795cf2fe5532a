import type { RuntimeContainerStatus } from '@nodeagent/api';
import type { GcContainer } from './containers-to-evict.js';

/** Longer than this, in milliseconds, nobody waits for a container's start. */
const startMs = 120_000;

/**
 * Whether a container was made just now and is about to be started. It is not dead, and must not take the place of the dead one that
 * garbage collection keeps for the pod's status to tell of. `now` is in milliseconds since 1970.
 */
export function isBeingStarted({ state, createdAt }: Pick<GcContainer, 'state' | 'createdAt'>, now: number): boolean {
  return state === 'created' && Math.abs(now - Number(createdAt / 1_000_000n)) < startMs;
}

/**
 * Whether an earlier agent made a container that has not started. That agent may have asked for its start, which may yet come to pass.
 * `begunAt` is when this agent's work began, in nanoseconds since 1970.
 */
export function isLeftUnstarted({ state, createdAt }: Pick<RuntimeContainerStatus, 'state' | 'createdAt'>, begunAt: bigint): boolean {
  return state === 'created' && createdAt < begunAt;
}
