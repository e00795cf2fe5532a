import type { Clock } from '@nodeagent/api';
import type { CallOptions, ImageService } from '@nodeagent/cri-api';
import { deadlineExceeded, invalidAnswer } from './call-errors.js';
import { type CallSignals, createCallSignals } from './call-signals.js';
import { type CriCall, type CriRuntime, wrapCri } from './methods.js';

/** The deadline and the abort signal of calls. */
export interface CallBounds {
  clock: Clock;
  /** 0 for none. */
  timeoutMs: number;
  /** Aborts when the agent stops. */
  ended?: AbortSignal | undefined;
}

interface Bounds extends Omit<CallBounds, 'ended'> {
  signals: CallSignals;
}

/**
 * The runtime with a deadline for each call, enforced here and not only by the runtime: a call without a response fails at its deadline.
 * The call also rejects when `signal` in its options or `ended` of the bounds aborts, and without a field that the response must have.
 */
export function boundedCri(cri: CriRuntime, { clock, timeoutMs, ended }: CallBounds): CriRuntime {
  const signals = createCallSignals(ended);
  return wrapCri(cri, ({ name, timeout, required }, call) => {
    const bounded: typeof call = (request, options) => {
      const bounds = { clock, signals, timeoutMs: timeout?.(timeoutMs, request) ?? timeoutMs };
      return bound(bounds, name, options?.signal, (inner) => call(request, inner));
    };
    return required === undefined ? bounded : checked(name, required, bounded);
  });
}

/** ImageStatus with a deadline, as in {@link boundedCri}. */
export function boundedImageService(
  service: Pick<ImageService, 'imageStatus'>,
  { clock, timeoutMs, ended }: CallBounds,
): Pick<ImageService, 'imageStatus'> {
  const bounds = { clock, timeoutMs, signals: createCallSignals(ended) };
  return {
    imageStatus: (request, options) => bound(bounds, 'ImageStatus', options?.signal, async (inner) => service.imageStatus(request, inner)),
  };
}

/** A call that settles with its response, at its deadline or when a signal aborts. */
function bound<T>(
  { clock, timeoutMs, signals }: Bounds,
  name: string,
  caller: AbortSignal | undefined,
  run: (options: CallOptions) => Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const calling = signals.of(caller);
    const fail = (reason: unknown) => {
      leave();
      reject(reason);
    };
    const leaveSignal = calling.onAbort(fail);
    // The call gets the deadline as an option; this timer enforces it if the implementation ignores it.
    const timer = timeoutMs > 0 ? clock.setTimeout(() => fail(deadlineExceeded(name, timeoutMs)), timeoutMs) : undefined;
    const leave = () => {
      leaveSignal();
      timer?.cancel();
    };
    const { signal } = calling;
    run(signal ? { timeoutMs, signal } : { timeoutMs }).then((answer) => {
      leave();
      resolve(answer);
    }, fail);
  });
}

/** A call whose response must have the field. */
function checked<Request>(name: string, field: string, call: CriCall<Request, object>): CriCall<Request, object> {
  return async (request, options) => {
    const response = await call(request, options);
    if (!Reflect.get(response, field)) throw invalidAnswer(name, field);
    return response;
  };
}
