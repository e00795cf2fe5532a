import type { Clock } from '@nodeagent/api';
import { type Calls, createCalls } from '../calls.js';
import type { Containers } from '../containers.js';
import { failedPrecondition, invalidArgument } from '../errors.js';
import type { EventHub } from '../events.js';
import type { Sandboxes } from '../sandboxes.js';
import type { StreamingServer } from '../streaming/streaming-server.js';

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

export function notStarted(): Error {
  return failedPrecondition('the runtime is not started', { retryable: true });
}

/** The milliseconds of a timeout in seconds. */
export function timeoutMs(seconds = 0n): number {
  if (seconds < 0n) throw invalidArgument('timeout', 'must not be negative');
  return Number(seconds) * 1000;
}

export function checkCommand(cmd: readonly string[]): void {
  if ((cmd[0] ?? '') === '' || cmd.some((each) => each.includes('\0'))) {
    throw invalidArgument('cmd', 'must name a command, without NUL bytes');
  }
}
