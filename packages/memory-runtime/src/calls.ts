import { type Clock, errorCode } from '@nodeagent/api';
import { criError } from './errors.js';
import type { ActiveFault, FaultPlan } from './faults.js';
import type { CriMethod } from './methods.js';

/** A call that the runtime received. */
export interface RecordedCall {
  method: CriMethod;
  request: unknown;
  /** Clock time in milliseconds. */
  at: number;
  /** When it was completed, in milliseconds; absent while it is in flight. */
  endedAt?: number;
  /** Absent for streams and for calls that failed. */
  response?: unknown;
  error?: unknown;
}

/** The last calls, oldest first. */
export class CallRecord {
  #calls: RecordedCall[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get calls(): RecordedCall[] {
    return this.#calls.slice(-this.#limit || this.#calls.length);
  }

  /** The list grows to twice its limit before it is truncated, so that a call costs O(1). */
  add(call: RecordedCall): void {
    if (this.#limit === 0) return;
    this.#calls.push(call);
    if (this.#calls.length >= 2 * this.#limit) this.#calls = this.#calls.slice(-this.#limit);
  }

  clear(): void {
    this.#calls = [];
  }
}

interface Limits {
  signal?: AbortSignal | undefined;
  timeoutMs?: number | undefined;
}

/** A call in flight. */
export interface CallContext {
  /**
   * Waits for the promise of `start`. Rejects when the caller aborts, the deadline passes or the runtime crashes; the signal that `start`
   * gets aborts then too. Calls that do not wait need no timer and no listener.
   */
  wait<T>(start: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Applied to every call: recording, faults, aborts, deadlines, crashes. */
export class CallGate {
  readonly #clock: Clock;
  readonly #record: CallRecord;
  readonly #faults: FaultPlan;
  readonly #onCall: (call: RecordedCall) => void;
  readonly #waiting = new Set<AbortController>();
  #up = true;

  constructor(clock: Clock, record: CallRecord, faults: FaultPlan, onCall: (call: RecordedCall) => void) {
    this.#clock = clock;
    this.#record = record;
    this.#faults = faults;
    this.#onCall = onCall;
  }

  get up(): boolean {
    return this.#up;
  }

  /** Calls in flight fail, later ones are refused. */
  crash(): void {
    this.#up = false;
    for (const controller of this.#waiting) controller.abort(criError('CRI_UNAVAILABLE', 'error reading from server: EOF'));
  }

  restart(): void {
    this.#up = true;
  }

  /** A unary call. */
  async call<T>(method: CriMethod, request: unknown, limits: Limits, execute: (context: CallContext) => T | Promise<T>): Promise<T> {
    const call = this.#begin(method, request);
    try {
      this.#admit(limits);
      const context = this.#context(method, limits);
      const fault = this.#faults.take(method, request);
      // The response of a fault has the type that the test gave it.
      const response = fault ? ((await this.#faulty(fault, request, context, async () => execute(context))) as T) : await execute(context);
      call.response = response;
      return response;
    } catch (error) {
      call.error = error;
      throw error;
    } finally {
      call.endedAt = this.#clock.now();
      this.#onCall(call);
    }
  }

  /** A streaming call. */
  async *stream<T>(
    method: CriMethod,
    request: unknown,
    limits: Limits,
    execute: (context: CallContext) => AsyncIterable<T>,
  ): AsyncGenerator<T, void, undefined> {
    const call = this.#begin(method, request);
    this.#onCall(call);
    try {
      this.#admit(limits);
      const context = this.#context(method, limits);
      const fault = this.#faults.take(method, request);
      if (fault === undefined) {
        yield* execute(context);
        return;
      }
      const first = async () => {
        for await (const item of execute(context)) return item;
        return undefined;
      };
      if (isOnlySlow(fault)) {
        await context.wait((signal) => this.#clock.sleep(fault.delayMs, signal));
        yield* execute(context);
      } else if (fault.dropAfter) {
        const item = await first();
        if (item !== undefined) yield item;
        throw lostAnswer(fault);
      } else {
        yield (await this.#faulty(fault, request, context, first)) as T;
      }
    } catch (error) {
      call.error = error;
      throw error;
    } finally {
      call.endedAt = this.#clock.now();
    }
  }

  #begin(method: CriMethod, request: unknown): RecordedCall {
    const call: RecordedCall = { method, request, at: this.#clock.now() };
    this.#record.add(call);
    return call;
  }

  #admit({ signal }: Limits): void {
    signal?.throwIfAborted();
    if (!this.#up) throw criError('CRI_UNAVAILABLE', 'connection error: dial unix /run/memory.sock: connect: connection refused');
  }

  async #faulty(fault: ActiveFault, request: unknown, context: CallContext, proceed: () => Promise<unknown>): Promise<unknown> {
    if (fault.delayMs > 0) await context.wait((signal) => this.#clock.sleep(fault.delayMs, signal));
    if (fault.hang) return context.wait(() => new Promise(() => {}));
    if (fault.answer) return fault.answer(request, proceed);
    if (fault.dropAfter) {
      await proceed();
      throw lostAnswer(fault);
    }
    if (fault.error) throw fault.error;
    return proceed();
  }

  #context(method: CriMethod, limits: Limits): CallContext {
    return new WaitingCall(method, limits, this.#clock, this.#waiting);
  }
}

class WaitingCall implements CallContext {
  readonly #method: CriMethod;
  readonly #signal: AbortSignal | undefined;
  readonly #clock: Clock;
  readonly #waiting: Set<AbortController>;
  readonly #deadline: number | undefined;

  constructor(method: CriMethod, { signal, timeoutMs = 0 }: Limits, clock: Clock, waiting: Set<AbortController>) {
    this.#method = method;
    this.#signal = signal;
    this.#clock = clock;
    this.#waiting = waiting;
    this.#deadline = timeoutMs > 0 ? clock.monotonic() + timeoutMs : undefined;
  }

  async wait<T>(start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const signal = this.#signal;
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    const late = () => controller.abort(criError('CRI_DEADLINE_EXCEEDED', `${this.#method}: context deadline exceeded`));
    const timer = this.#deadline === undefined ? undefined : this.#clock.setTimeout(late, this.#deadline - this.#clock.monotonic());
    this.#waiting.add(controller);
    try {
      return await Promise.race([start(controller.signal), aborted(controller.signal)]);
    } finally {
      this.#waiting.delete(controller);
      timer?.cancel();
      signal?.removeEventListener('abort', abort);
    }
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

const lostAnswer = (fault: ActiveFault) => fault.error ?? criError('CRI_UNAVAILABLE', 'error reading from server: EOF');

const isOnlySlow = ({ hang, answer, dropAfter, error }: ActiveFault) => !hang && !answer && !dropAfter && !error;

/** `startContainer CRI_NOT_FOUND` or `startContainer`: a recorded call in one line. */
export function summarizeCall({ method, error }: RecordedCall): string {
  return error === undefined ? method : `${method} ${errorCode(error) ?? String(error)}`;
}
