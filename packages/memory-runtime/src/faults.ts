import type { MemoryRuntimeErrorCode } from './errors.js';
import { criError } from './errors.js';
import type { CriMethod, CriRequest, CriResponse } from './methods.js';

/**
 * Something that goes wrong with chosen calls. `delayMs` comes first and combines with the others; of these the first that is given
 * counts: `hang`, `answer`, `dropAfter`, `error`. A fault with none of them but a delay makes the call slow.
 */
export interface Fault<M extends CriMethod = CriMethod> {
  /** The method, such as `startContainer`; `'*'` for every one. */
  method: M | '*';
  /** How many calls are hit. Default 1; Infinity until {@link FaultHandle.remove}. */
  times?: number;
  /** Calls that match and are let through before the first is hit. Default 0. */
  skip?: number;
  /** Which calls; default all of the method. */
  match?: (request: CriRequest<M>) => boolean;
  /** The call waits this long before anything else happens to it. */
  delayMs?: number;
  /** The call never comes back, until it is aborted, its deadline passes or the runtime crashes. Nothing is executed. */
  hang?: boolean;
  /**
   * Nothing is executed and this is the answer; a function can still execute the call with `proceed` and alter what it says.
   * For a stream it is the only item.
   */
  answer?: CriResponse<M> | ((request: CriRequest<M>, proceed: () => Promise<CriResponse<M>>) => CriResponse<M> | Promise<CriResponse<M>>);
  /** The call is executed but its answer is lost: it fails with `error`, by default CRI_UNAVAILABLE. A stream ends after one item. */
  dropAfter?: boolean;
  /** The call fails: with this error, this code, or as CRI_UNKNOWN with this text. */
  error?: Error | MemoryRuntimeErrorCode | (string & {});
}

/** A fault that was set. */
export interface FaultHandle {
  /** Calls it has hit. */
  readonly hits: number;
  /** Ends it; idempotent. */
  remove(): void;
}

/** A fault of any method, with the method's own types forgotten. */
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

/** The faults of a runtime; the first one set that matches a call hits it. */
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

  /** The fault that hits this call, counted. */
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
  // The plan keeps faults of every method; each is only ever asked about its own.
  return typeof answer === 'function' ? (answer as ActiveFault['answer']) : () => answer;
}

function asError(error: Error | string): Error {
  if (typeof error !== 'string') return error;
  return error.startsWith('CRI_') ? criError(error as MemoryRuntimeErrorCode, `injected fault: ${error}`) : criError('CRI_UNKNOWN', error);
}
