import { apiStatusError, NodeAgentError, type Random } from '@nodeagent/api';
import type { RequestUser } from './access/user.js';
import type { RequestInfo } from './requests/request-info.js';

/** Which requests a fault hits; what is absent does not matter. */
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

/** Something that goes wrong with chosen requests. `latencyMs` comes first and combines with the others. */
export interface ApiFault {
  /** Default: every request. */
  match?: RequestMatch | ((info: RequestInfo, user: RequestUser) => boolean);
  /** How many requests are hit. Default 1; Infinity until {@link ApiFaultHandle.remove}. */
  times?: number;
  /** Requests that match and are let through before the first is hit. Default 0. */
  skip?: number;
  /** Of the requests that match, this share is hit. Default 1. */
  probability?: number;
  /** Milliseconds before anything else happens to the request. */
  latencyMs?: number;
  /**
   * The answer instead of the right one: 409 (`Conflict`), 410 (`Expired`), 429, 500, 503, 504 or any other. With a watch, 410 comes as an
   * event of type ERROR, as from a real server.
   */
  status?: number;
  /** Seconds of the Retry-After header that goes with `status`. Default with 429: 1. */
  retryAfterSeconds?: number;
  /** The connection breaks: `before` anything is done, or `after`, when only the answer is lost. */
  cut?: 'before' | 'after';
}

/** A fault that was set. */
export interface ApiFaultHandle {
  /** Requests it has hit. */
  readonly hits: number;
  /** Ends it; idempotent. */
  remove(): void;
}

interface ActiveFault {
  fault: ApiFault;
  left: number;
  skip: number;
  hits: number;
}

/** The faults of a server; the first one set that matches a request hits it. */
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

  /** The fault that hits this request, counted. */
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

/** Whether a request is one of those meant. */
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

/** The refusal that a fault's status means. */
export function faultError({ status = 500, retryAfterSeconds = status === 429 ? 1 : undefined }: ApiFault): NodeAgentError {
  const [reason, message] = reasons[status] ?? ['Unknown', `injected fault: ${status}`];
  return apiStatusError({
    code: status,
    reason,
    message,
    ...(retryAfterSeconds !== undefined && { retryAfterMs: retryAfterSeconds * 1000 }),
  });
}

/** What a caller sees of a connection that broke. */
export function connectionCut(): NodeAgentError {
  return new NodeAgentError('ApiUnreachable', 'the connection to the API server was cut', { retryable: true });
}
