/** The signal that a call in flight is given, and what ends its waiting. */
interface CallSignal {
  /** Undefined if nothing can end the call. */
  signal: AbortSignal | undefined;
  /** Has `end` called with the reason once the call is no longer wanted; returns what takes that back. */
  onAbort(end: (reason: unknown) => void): () => void;
}

/**
 * What may end calls, so that each costs next to nothing: a call has a listener in a set, not one on a signal, and signals that come
 * together, the caller's and that of the end of everything, are joined once for all calls of that caller.
 */
export interface CallSignals {
  /** For a call whose caller may have a signal. Throws the reason if the call is not wanted any more. */
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

/** The calls of a caller that the end of everything ends too: they get a signal that follows both. */
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

  /** Only calls in flight are held by what lives as long as everything. */
  override onAbort(end: (reason: unknown) => void): () => void {
    const leave = super.onAbort(end);
    const leaveEnd = this.#atEnd.onAbort((reason) => this.#controller.abort(reason));
    return () => {
      leave();
      leaveEnd();
    };
  }
}
