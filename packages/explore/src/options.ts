import type { RequestUser, ServerNetwork } from '@nodeagent/test-api-server';
import type { Duration, TestCluster, TestClusterOptions } from '@nodeagent/test-cluster';
import type { Normalize } from './canonical.js';
import type { Controller } from './controller.js';
import type { Invariant } from './run.js';

/** Creates what is there before the controller starts: definitions, objects, scripts of containers. */
export type Setup = (cluster: TestCluster) => void | Promise<void>;

/** The controller and how it is disturbed. */
export interface ExploreOptions {
  controller: Controller;
  /** What users do while the controller runs, in virtual time (`cluster.advance`). Default: nothing. */
  actions?: (cluster: TestCluster) => void | Promise<void>;
  /** How long a run lasts after the actions and after its last disturbance: the controller must have finished. Default `10m`. */
  duration?: Duration;
  /** Default: `standardInvariants(normalize)`. */
  invariants?: readonly Invariant[];
  /** For controllers whose end may differ, such as by a count of retries. Default: objects are compared as they are. */
  normalize?: Normalize;
  /** Options of the cluster. Default: one node with long periods, which reacts as fast. */
  cluster?: Omit<TestClusterOptions, 'seed' | 'traceLimit'>;
  /** The user of the controller. Default: `controller`, an administrator. */
  user?: RequestUser;
  /** `machineNetwork` of `@nodeagent/test-api-server/node`: for controllers that use HTTP. Default: none. */
  network?: ServerNetwork;
  /**
   * Virtual milliseconds per real one, for a controller with timers of its process, such as a program. Default: virtual time, as fast as it can
   * be computed.
   */
  speed?: number;
  /** The same seed gives the same runs. Default 1. */
  seed?: number;
}

/** Limits of a search. */
export interface SearchOptions {
  /** Number of runs. Default 1000. */
  schedules?: number;
  /**
   * The share of this search, from 0, for several processes or parts of a long search: those of the same `count` have no schedule in common but
   * the undisturbed one. Default: all.
   */
  share?: { index: number; count: number };
  /** Limit of real time, in milliseconds. Default: none. */
  timeLimitMs?: number;
  /** Called after each run. */
  onProgress?: (progress: { schedules: number; planned: number }) => void;
}
