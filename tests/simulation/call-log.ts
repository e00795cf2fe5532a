import { anyCallBoundOf, boundOf, type CallBound } from './call-bounds.js';
import type { Intercept, PortCall } from './port-calls.js';

/** How often a call of an object was made. */
export interface CallRate extends PortCall {
  calls: number;
  failures: number;
  /** Calls in its busiest minute. */
  perMinute: number;
}

interface Entry extends CallRate {
  /** When the calls of the last minute began. */
  readonly recent: number[];
  hasFailed: boolean;
  readonly repeats: Bucket;
  readonly any: Bucket;
}

interface Bucket {
  readonly bound: CallBound;
  tokens: number;
  atMs: number;
}

const minuteMs = 60_000;
/** More calls at one instant mean that no time passes. */
const maxCallsAtOnce = 10_000;

/** Takes a token; false if there is none. */
function take(bucket: Bucket, nowMs: number): boolean {
  const { burst, periodMs } = bucket.bound;
  bucket.tokens = Math.min(burst, bucket.tokens + (nowMs - bucket.atMs) / periodMs);
  bucket.atMs = nowMs;
  if (bucket.tokens < 1) return false;
  bucket.tokens--;
  return true;
}

/** The calls of an agent by object, and those that it made too fast. */
export class CallLog {
  /** Calls that were repeated faster than their back-off allows. */
  violations: string[] = [];
  readonly #nowMs: () => number;
  readonly #entries = new Map<string, Entry>();
  #atMs = 0;
  #callsAtOnce = 0;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Forgets the calls of the previous agent. */
  clear(): void {
    this.#entries.clear();
  }

  /** The calls of each object, the busiest first. */
  rates(): CallRate[] {
    return [...this.#entries.values()].sort((a, b) => b.perMinute - a.perMinute);
  }

  /** Observes a call. If no time passes any more, the call never returns, so that the run ends. */
  readonly observe: Intercept = (call, execute) => {
    const nowMs = this.#nowMs();
    const entry = this.#begin(call, nowMs);
    if (this.#isStuck(call, nowMs)) return new Promise(() => {});
    const answer = execute();
    answer.then(
      (response) => {
        entry.hasFailed = isRefusal(response);
        if (entry.hasFailed) entry.failures++;
      },
      () => {
        entry.hasFailed = true;
        entry.failures++;
      },
    );
    return answer;
  };

  #begin({ name, object }: PortCall, nowMs: number): Entry {
    const key = `${name} ${object}`;
    const bucket = (bound: CallBound): Bucket => ({ bound, tokens: bound.burst, atMs: nowMs });
    const entry = this.#entries.get(key) ?? {
      ...{ name, object, calls: 0, failures: 0, perMinute: 0, recent: [], hasFailed: false },
      ...{ repeats: bucket(boundOf({ name })), any: bucket(anyCallBoundOf({ name })) },
    };
    this.#entries.set(key, entry);
    entry.calls++;
    entry.recent.push(nowMs);
    while ((entry.recent[0] ?? nowMs) <= nowMs - minuteMs) entry.recent.shift();
    entry.perMinute = Math.max(entry.perMinute, entry.recent.length);
    const isTooFast = !take(entry.any, nowMs) || (entry.hasFailed && !take(entry.repeats, nowMs));
    if (isTooFast) this.violations.push(`${name} of ${object}: ${entry.recent.length} calls within a minute, ${entry.failures} failed`);
    return entry;
  }

  #isStuck({ name, object }: PortCall, nowMs: number): boolean {
    if (nowMs !== this.#atMs) {
      this.#atMs = nowMs;
      this.#callsAtOnce = 0;
    }
    if (++this.#callsAtOnce <= maxCallsAtOnce) return false;
    if (this.#callsAtOnce === maxCallsAtOnce + 1)
      this.violations.push(`no time passes: ${maxCallsAtOnce} calls at once, the last one ${name} of ${object}`);
    return true;
  }
}

/** Whether the API server refused the request without saying when to repeat it. */
const isRefusal = (response: unknown): boolean => {
  const { status, headers } = (response ?? {}) as Partial<{ status: unknown; headers: Record<string, string> }>;
  return typeof status === 'number' && status >= 400 && headers?.['retry-after'] === undefined;
};
