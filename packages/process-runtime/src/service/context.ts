import type { Clock } from '@nodeagent/api';
import { type Calls, createCalls } from '../calls.js';
import type { Containers } from '../containers.js';
import type { EventHub } from '../events.js';
import type { Sandboxes } from '../sandboxes.js';
import type { StreamingServer } from '../streaming/streaming-server.js';
import { notStarted } from './requests.js';

/** A started runtime. */
export interface StartedRuntime {
  sandboxes: Sandboxes;
  containers: Containers;
  events: EventHub;
  streams: StreamingServer;
}

export interface RuntimeServicePorts {
  clock: Clock;
  runtimeName: string;
  runtimeVersion: string;
  /** Undefined while the runtime is not started. */
  live(): StartedRuntime | undefined;
  /** Nanoseconds since 1970. */
  now(): bigint;
}

/** What the methods of the service share. */
export interface ServiceContext extends Calls {
  clock: Clock;
  now(): bigint;
  /** Throws if the runtime is not started. */
  live(): StartedRuntime;
}

export function createServiceContext({ clock, now, live }: RuntimeServicePorts): ServiceContext {
  return {
    ...createCalls(clock),
    clock,
    now,
    live() {
      const started = live();
      if (started === undefined) throw notStarted();
      return started;
    },
  };
}
