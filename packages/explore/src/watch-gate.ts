import type { Clock } from '@nodeagent/api';
import type { ApiResponse } from '@nodeagent/test-api-server';
import { disturbanceTimes } from './disturbance.js';
import type { Instance } from './instance.js';

/** An event that a watch of the controller has delivered. */
export interface Delivery {
  /** Virtual time since the start of the run, in milliseconds. */
  readonly at: number;
  readonly resource: string;
  /** The index of the last request before it. */
  readonly after: number;
}

export interface WatchGateOptions {
  clock: Clock;
  /** Expires watches and lists of earlier versions, with 410. */
  forgetHistory(): void;
  delivered(resource: string): void;
}

/** Watches that deliver nothing until `until`, in monotonic milliseconds; those opened before `since` then end, if events are missed. */
interface Lag {
  resource: string | undefined;
  since: number;
  until: number;
  misses: boolean;
}

/** By how much an event arrives after that of another resource: the controller reacts in between. */
const apartMs = 1;

/** The way of all events to the controller: it delays them, expires watches, and changes the order of resources. */
export class WatchGate {
  readonly #options: WatchGateOptions;
  readonly #lags: Lag[] = [];
  /** Resources whose next event arrives after one of another resource. */
  readonly #reordered = new Set<string>();
  /** Events that wait for one of another resource. */
  readonly #held = new Set<{ resource: string; release: () => void }>();

  constructor(options: WatchGateOptions) {
    this.#options = options;
  }

  lag(resource: string | undefined, misses: boolean): void {
    const since = this.#options.clock.monotonic();
    this.#lags.push({ resource, since, until: since + disturbanceTimes.lag, misses });
  }

  reorder(resource: string): void {
    this.#reordered.add(resource);
  }

  /** The body of a watch as the controller gets it. */
  async *pass(body: ApiResponse['body'], resource: string, instance: Instance): AsyncIterable<string | Uint8Array> {
    const { clock, forgetHistory, delivered } = this.#options;
    const openedAt = clock.monotonic();
    for await (const piece of typeof body === 'string' ? [body] : body) {
      const lags = this.#lags.filter((lag) => (lag.resource ?? resource) === resource && clock.monotonic() < lag.until);
      const until = Math.max(instance.staleUntil(resource), ...lags.map((lag) => lag.until));
      if (until > clock.monotonic()) await clock.sleep(until - clock.monotonic(), instance.signal);
      if (lags.some(({ misses, since }) => misses && openedAt <= since)) {
        forgetHistory();
        return;
      }
      if (isEvent(piece)) {
        if (this.#reordered.delete(resource)) await this.#anotherArrived(resource, instance.signal);
        delivered(resource);
        for (const held of this.#held) if (held.resource !== resource) held.release();
      }
      yield piece;
    }
  }

  /** Waits until an event of another resource has arrived, or for the time of a lag. */
  async #anotherArrived(resource: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const released = new AbortController();
    const held = { resource, release: () => released.abort() };
    this.#held.add(held);
    await clock.sleep(disturbanceTimes.lag, AbortSignal.any([signal, released.signal])).catch(() => {});
    this.#held.delete(held);
    await clock.sleep(apartMs, signal);
  }
}

/** Bookmarks are no changes. */
const isEvent = (piece: string | Uint8Array) =>
  !(typeof piece === 'string' ? piece : new TextDecoder().decode(piece)).includes('"BOOKMARK"');
