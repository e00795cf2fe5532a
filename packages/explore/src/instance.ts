import type { Clock } from '@nodeagent/api';
import { createInProcessTransport, type InProcessServer, type Transport } from '@nodeagent/kube-client';
import { type AgentProcess, createAgentProcess } from '@nodeagent/test-cluster';

/** An old state that informers of an instance start with. */
export interface StaleState {
  /** The newest resourceVersion that they see. */
  revision: number;
  /** Until when, in monotonic milliseconds. */
  until: number;
  /** Whose informers. Default: all. */
  resource?: string | undefined;
}

/** One start of the controller: a simulated process that can be killed. */
export class Instance {
  readonly number: number;
  readonly process: AgentProcess;
  readonly #ended = new AbortController();
  readonly #clock: Clock;
  readonly #stale: StaleState | undefined;

  constructor(number: number, clock: Clock, stale?: StaleState) {
    this.number = number;
    this.#clock = clock;
    this.#stale = stale;
    this.process = createAgentProcess(clock);
    this.process.onEnd(() => this.#ended.abort(new Error('the controller has crashed')));
  }

  /** The first element of the paths of its clients that use HTTP. */
  get name(): string {
    return `controller-${this.number}`;
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** The newest resourceVersion that its informers of a resource see; undefined if they see every change. */
  staleRevision(resource: string): number | undefined {
    return this.staleUntil(resource) > this.#clock.monotonic() ? this.#stale?.revision : undefined;
  }

  /** Until when its informers of a resource see an old state, in monotonic milliseconds. */
  staleUntil(resource: string): number {
    if (this.#stale === undefined || (this.#stale.resource ?? resource) !== resource) return 0;
    return this.#stale.until;
  }

  /** A transport for its clients in this process: after a crash, calls in flight never settle. */
  transport(server: InProcessServer): Transport {
    const { process } = this;
    return createInProcessTransport({
      async handle(request) {
        const answer = await process.receive(server.handle(request));
        return typeof answer.body === 'string' ? answer : { ...answer, body: process.receiveAll(answer.body) };
      },
    });
  }
}
