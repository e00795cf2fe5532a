import type { Event } from '@nodeagent/api';
import type { MemoryContainer } from '@nodeagent/memory-runtime';

/** Events that one agent wrote about one object. */
export interface WrittenEvents {
  /** Start of the agent. */
  sinceMs: number;
  /** Name and count of each: a request that is repeated after a lost response writes the same event. */
  readonly writes: Set<string>;
}

/** The events with a separate bucket: those of one type about one object. */
export const eventBucket = ({ involvedObject: { kind, uid }, type }: Event): string => `${type} events of ${kind} ${uid}`;

/** An image that an agent removed. */
export interface ImageRemoval {
  image: string;
  /** The containers that use the image, and that existed when an agent last listed the images. */
  users: readonly Pick<MemoryContainer, 'podUid' | 'name' | 'state'>[];
}
