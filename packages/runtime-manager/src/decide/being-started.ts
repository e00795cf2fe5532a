import type { RuntimeContainerStatus } from '@nodeagent/api';
import type { GcContainer } from '../gc/containers-to-evict.js';

/** A container that was created this long ago, in milliseconds, and has not started counts as dead. */
const startTimeoutMs = 120_000;

/**
 * Whether a container was just created and is about to start. It is not dead, and must not replace the dead instance that garbage
 * collection keeps for the pod's status. `now` is in milliseconds since 1970.
 */
export function isBeingStarted({ state, createdAt }: Pick<GcContainer, 'state' | 'createdAt'>, now: number): boolean {
  return state === 'created' && Math.abs(now - Number(createdAt / 1_000_000n)) < startTimeoutMs;
}

/**
 * Whether a previous agent created a container that has not started. That agent may have requested the start, so the runtime may still
 * start it. `agentStartedAt` is in nanoseconds since 1970.
 */
export function isLeftUnstarted(
  { state, createdAt }: Pick<RuntimeContainerStatus, 'state' | 'createdAt'>,
  agentStartedAt: bigint,
): boolean {
  return state === 'created' && createdAt < agentStartedAt;
}
