import type { Clock, Random } from '@nodeagent/api';
import type { Transport } from '@nodeagent/kube-client';

/** What one start of the controller under test gets. All of it ends with a crash: requests, timers, watches. */
export interface ControllerContext {
  /** Which start it is, from 1. */
  readonly instance: number;
  /** For clients in this process without sockets: `createKubeClient({ transport, clock, cluster: { server: 'https://cluster' } })`. */
  readonly transport: Transport;
  /** A kubeconfig for clients that use HTTP, as text; needs the option `network`. Throws `InvalidOption` without. */
  kubeconfig(): string;
  /** All timers of the controller must be of this clock. */
  readonly clock: Clock;
  /** Randomness that is the same in each run. */
  readonly random: Random;
  /** Aborts at a crash and at the end of the run. */
  readonly signal: AbortSignal;
  /** Reports that the controller has ended by itself: it is started again. */
  ended(why: string): void;
  /** Adds a line to the timeline, such as an error that the controller handles. */
  note(text: string): void;
}

/**
 * Starts the controller; returns or resolves when it has started, and ends it when `signal` aborts. A rejection counts as a crash: it is started
 * again.
 */
export type Controller = (context: ControllerContext) => void | Promise<void>;
