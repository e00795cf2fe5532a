import { apiStatusError, NodeAgentError, type Random } from '@nodeagent/api';
import type { RequestUser } from './access/user.js';
import type { RequestInfo } from './requests/request-info.js';

/** Selects the requests that a fault hits; absent fields match all. */
export interface RequestMatch {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`. */
  verb?: string | readonly string[];
  /** The plural name, such as `pods`. */
  resource?: string;
  subresource?: string;
  namespace?: string;
  name?: string;
  /** A username. */
  user?: string;
}

/** A fault of selected requests. `latencyMs` applies first and combines with the other fields. */
export interface ApiFault {
  /** Default: every request. */
  match?: RequestMatch | ((info: RequestInfo, user: RequestUser) => boolean);
  /** Number of requests to hit. Default 1; Infinity until {@link ApiFaultHandle.remove}. */
  times?: number;
  /** Number of matching requests to pass before the first is hit. Default 0. */
  skip?: number;
  /** Share of the matching requests to hit, 0 to 1. Default 1. */
  probability?: number;
  /** Delay before the request is processed, in milliseconds. */
  latencyMs?: number;
  /**
   * Status code of the response: 409 (`Conflict`), 410 (`Expired`), 429, 500, 503, 504 or any other. For a watch, 410 is an
   * event of type ERROR, as in a real server.
   */
  status?: number;
  /** Retry-After header of the response, in seconds. Default for 429: 1. */
  retryAfterSeconds?: number;
  /** Breaks the connection `before` the request is processed, or `after` it, so that only the response is lost. */
  cut?: 'before' | 'after';
}

/** An injected fault. */
export interface ApiFaultHandle {
  /** Number of requests that the fault has hit. */
  readonly hits: number;
  /** Removes the fault; idempotent. */
  remove(): void;
}

interface ActiveFault {
  fault: ApiFault;
  left: number;
  skip: number;
  hits: number;
}

/** The faults of a server; the first matching one hits a request. */
export class ApiFaults {
  readonly #active = new Set<ActiveFault>();
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  add(fault: ApiFault): ApiFaultHandle {
    const active: ActiveFault = { fault, left: fault.times ?? 1, skip: fault.skip ?? 0, hits: 0 };
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

  /** Returns the fault that hits this request, and counts the hit. */
  take(info: RequestInfo, user: RequestUser): ApiFault | undefined {
    for (const active of this.#active) {
      if (!matches(active.fault, info, user)) continue;
      if (active.skip > 0) {
        active.skip--;
        continue;
      }
      if (active.fault.probability !== undefined && this.#random() >= active.fault.probability) continue;
      active.hits++;
      if (--active.left <= 0) this.#active.delete(active);
      return active.fault;
    }
    return undefined;
  }
}

function matches({ match = {} }: ApiFault, info: RequestInfo, user: RequestUser): boolean {
  return typeof match === 'function' ? match(info, user) : matchesRequest(match, info, user);
}

/** Whether the fault matches a request. */
function matchesRequest({ verb, user: username, ...rest }: RequestMatch, info: RequestInfo, user?: RequestUser): boolean {
  if (verb !== undefined && !(typeof verb === 'string' ? [verb] : verb).includes(info.verb)) return false;
  if (username !== undefined && username !== user?.username) return false;
  return Object.entries(rest).every(([field, wanted]) => wanted === undefined || info[field as keyof RequestInfo] === wanted);
}

const reasons: Readonly<Record<number, [reason: string, message: string]>> = {
  401: ['Unauthorized', 'Unauthorized'],
  403: ['Forbidden', 'forbidden'],
  404: ['NotFound', 'the server could not find the requested resource'],
  409: ['Conflict', 'the object has been modified; please apply your changes to the latest version and try again'],
  410: ['Expired', 'too old resource version'],
  429: ['TooManyRequests', 'too many requests, please try again later'],
  500: ['InternalError', 'an error on the server has prevented the request from succeeding'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'the server was unable to return a response in the time allotted'],
};

/** The error of a fault's status. */
export function faultError({ status = 500, retryAfterSeconds = status === 429 ? 1 : undefined }: ApiFault): NodeAgentError {
  const [reason, message] = reasons[status] ?? ['Unknown', `injected fault: ${status}`];
  return apiStatusError({
    code: status,
    reason,
    message,
    ...(retryAfterSeconds !== undefined && { retryAfterMs: retryAfterSeconds * 1000 }),
  });
}

/** The client's error of a broken connection. */
export function connectionCut(): NodeAgentError {
  return new NodeAgentError('ApiUnreachable', 'the connection to the API server was cut', { retryable: true });
}
