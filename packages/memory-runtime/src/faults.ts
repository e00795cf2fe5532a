import type { MemoryRuntimeErrorCode } from './errors.js';
import { criError } from './errors.js';
import type { CriMethod, CriRequest, CriResponse } from './methods.js';

/**
 * A fault of matching calls. `delayMs` is applied first and combines with the others; of these the first one set is used: `hang`,
 * `answer`, `dropAfter`, `error`. A fault with only a delay makes the call slow.
 */
export interface Fault<M extends CriMethod = CriMethod> {
  /** The method, such as `startContainer`; `'*'` for every one. */
  method: M | '*';
  /** Maximum number of calls hit. Default 1; Infinity until {@link FaultHandle.remove}. */
  times?: number;
  /** Number of matching calls that succeed before the first hit. Default 0. */
  skip?: number;
  /** Selects calls; default all of the method. */
  match?: (request: CriRequest<M>) => boolean;
  /** Delay before the call is processed, in milliseconds. */
  delayMs?: number;
  /** The call does not complete until it is aborted, its deadline passes or the runtime crashes. It is not executed. */
  hang?: boolean;
  /**
   * The response instead of executing the call; a function can execute the call with `proceed` and modify the response. For a stream it is
   * the only item.
   */
  answer?: CriResponse<M> | ((request: CriRequest<M>, proceed: () => Promise<CriResponse<M>>) => CriResponse<M> | Promise<CriResponse<M>>);
  /** The call is executed but its response is lost: it fails with `error`, by default CRI_UNAVAILABLE. A stream ends after one item. */
  dropAfter?: boolean;
  /** The call fails: with this error, this code, or with CRI_UNKNOWN and this message. */
  error?: Error | MemoryRuntimeErrorCode | (string & {});
}

/** An injected fault. */
export interface FaultHandle {
  /** Number of calls hit. */
  readonly hits: number;
  /** Removes the fault; idempotent. */
  remove(): void;
}

/** A fault of any method, without the method's types. */
export interface ActiveFault {
  method: string;
  match: (request: unknown) => boolean;
  skip: number;
  times: number;
  hits: number;
  delayMs: number;
  hang: boolean;
  dropAfter: boolean;
  answer: ((request: unknown, proceed: () => Promise<unknown>) => unknown) | undefined;
  error: Error | undefined;
}

/** The faults of a runtime; the first injected one that matches a call hits it. */
export class FaultPlan {
  readonly #active = new Set<ActiveFault>();

  add<M extends CriMethod>(fault: Fault<M>): FaultHandle {
    const active: ActiveFault = {
      method: fault.method,
      match: (request) => fault.match?.(request as CriRequest<M>) ?? true,
      skip: fault.skip ?? 0,
      times: fault.times ?? 1,
      hits: 0,
      delayMs: fault.delayMs ?? 0,
      hang: fault.hang ?? false,
      dropAfter: fault.dropAfter ?? false,
      answer: 'answer' in fault ? answerer(fault) : undefined,
      error: fault.error === undefined ? undefined : asError(fault.error),
    };
    this.#active.add(active);
    return {
      get hits() {
        return active.hits;
      },
      remove: () => void this.#active.delete(active),
    };
  }

  clear(): void {
    this.#active.clear();
  }

  /** Returns the fault that hits this call, and counts the hit. */
  take(method: CriMethod, request: unknown): ActiveFault | undefined {
    for (const fault of this.#active) {
      if ((fault.method !== '*' && fault.method !== method) || !fault.match(request)) continue;
      if (fault.skip > 0) {
        fault.skip--;
        continue;
      }
      fault.hits++;
      if (fault.hits >= fault.times) this.#active.delete(fault);
      return fault;
    }
    return undefined;
  }
}

function answerer<M extends CriMethod>({ answer }: Fault<M>): ActiveFault['answer'] {
  // The cast is safe: a fault hits only calls of its method.
  return typeof answer === 'function' ? (answer as ActiveFault['answer']) : () => answer;
}

function asError(error: Error | string): Error {
  if (typeof error !== 'string') return error;
  return error.startsWith('CRI_') ? criError(error as MemoryRuntimeErrorCode, `injected fault: ${error}`) : criError('CRI_UNKNOWN', error);
}
