/** The abort signal of a call in flight. */
interface CallSignal {
  /** Undefined if the call cannot be aborted. */
  signal: AbortSignal | undefined;
  /** Calls `end` with the reason when the signal aborts. Returns a function that unsubscribes. */
  onAbort(end: (reason: unknown) => void): () => void;
}

/**
 * Abort signals for calls, at little cost per call: a call adds a listener to a set instead of to a signal, and the caller's signal and
 * the agent's are joined once for all calls of that caller.
 */
export interface CallSignals {
  /** For a call whose caller may pass a signal. Throws the reason if one of the signals has aborted. */
  of(caller: AbortSignal | undefined): CallSignal;
}

export function createCallSignals(ended: AbortSignal | undefined): CallSignals {
  const atEnd = new CallEnds(ended);
  const ofCallers = new WeakMap<AbortSignal, CallEnds>();
  const endsOf = (caller: AbortSignal): CallEnds => {
    const known = ofCallers.get(caller);
    if (known !== undefined) return known;
    const ends = ended === undefined || ended === caller ? new CallEnds(caller) : new JoinedEnds(caller, atEnd);
    ofCallers.set(caller, ends);
    return ends;
  };
  return {
    of(caller) {
      caller?.throwIfAborted();
      ended?.throwIfAborted();
      return caller === undefined ? atEnd : endsOf(caller);
    },
  };
}

/** The calls in flight under one signal. */
class CallEnds implements CallSignal {
  readonly signal: AbortSignal | undefined;
  readonly #ends = new Set<(reason: unknown) => void>();

  constructor(signal: AbortSignal | undefined) {
    this.signal = signal;
    signal?.addEventListener(
      'abort',
      () => {
        for (const end of this.#ends) end(signal.reason);
      },
      { once: true },
    );
  }

  onAbort(end: (reason: unknown) => void): () => void {
    this.#ends.add(end);
    return () => {
      this.#ends.delete(end);
    };
  }
}

/** The calls in flight under a caller's signal and the agent's: their signal follows both. */
class JoinedEnds extends CallEnds {
  readonly #controller: AbortController;
  readonly #atEnd: CallEnds;

  constructor(caller: AbortSignal, atEnd: CallEnds) {
    const controller = new AbortController();
    super(controller.signal);
    this.#controller = controller;
    this.#atEnd = atEnd;
    caller.addEventListener('abort', () => controller.abort(caller.reason), { once: true });
  }

  /** The agent's signal outlives each call, so it holds listeners of calls in flight only. */
  override onAbort(end: (reason: unknown) => void): () => void {
    const leave = super.onAbort(end);
    const leaveEnd = this.#atEnd.onAbort((reason) => this.#controller.abort(reason));
    return () => {
      leave();
      leaveEnd();
    };
  }
}
