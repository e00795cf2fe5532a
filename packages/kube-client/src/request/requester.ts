import {
  abortable,
  apiStatusError,
  apiStatusOf,
  type Clock,
  errorCode,
  type Logger,
  type Metrics,
  type Random,
  withDeadline,
} from '@nodeagent/api';
import type { ClientCredentialSource, ClientCredentials } from '../auth/credentials.js';
import { kubeClientErrorCodes, unreachable } from '../errors.js';
import type { Transport, TransportResponse } from '../transport/transport.js';
import { parseApiStatus, readText } from './api-response.js';
import { createRequestMetrics } from './metrics.js';
import type { RateLimiter } from './rate-limiter.js';
import { retryDelay } from './retry.js';

/** One call of the API. */
export interface RequesterCall {
  method: string;
  /** Path below the server's URL, without the query. */
  path: string;
  query?: Readonly<Record<string, string | number | boolean | undefined>>;
  body?: string;
  /** Default `application/json`. */
  contentType?: string;
  signal?: AbortSignal;
}

/** Sends calls with rate limit, credentials, deadline, retries and errors. */
export interface Requester {
  /** Maximum size of a response, and of all pages of a list. */
  readonly maxResponseBytes: number;
  /** Resolves to the text of a successful response. */
  text(request: RequesterCall): Promise<string>;
  /**
   * Resolves to the body of a successful response as a stream, without retries or a deadline. The caller's signal also ends the
   * reading.
   */
  stream(request: RequesterCall & { signal: AbortSignal }): Promise<AsyncIterable<Uint8Array>>;
  /** Ends the connections with other credentials than the current ones. */
  closeOldConnections(): Promise<void>;
}

export interface RequesterOptions {
  server: string;
  transport: Transport;
  credentials: ClientCredentialSource;
  limiter: RateLimiter;
  clock: Clock;
  random: Random;
  logger: Logger;
  metrics: Metrics;
  userAgent: string;
  requestTimeoutMs: number;
  maxResponseBytes: number;
  compression: boolean;
}

/** Limit of the body of an error response. */
const maxErrorBytes = 1024 * 1024;

export function createRequester(options: RequesterOptions): Requester {
  const { transport, credentials, limiter, clock, random, logger, userAgent, requestTimeoutMs, maxResponseBytes } = options;
  const metrics = createRequestMetrics(options.metrics);
  const host = new URL(options.server).host;

  const send = async (
    request: RequesterCall,
    used: ClientCredentials,
    signal: AbortSignal,
    compression: boolean,
    isWatch = false,
  ): Promise<TransportResponse> => {
    const { method, path, query, body, contentType = 'application/json' } = request;
    const headers: Record<string, string> = { accept: 'application/json', 'user-agent': userAgent, ...used.headers };
    if (body !== undefined) headers['content-type'] = contentType;
    if (compression) headers['accept-encoding'] = 'gzip';
    const startedAt = clock.monotonic();
    const sent = {
      method,
      path: path + queryText(query),
      headers,
      tls: used.tls,
      isWatch,
      signal,
      ...(body === undefined ? {} : { body }),
    };
    try {
      const response = await transport.send(sent);
      metrics.requests.inc({ code: String(response.status), method, host });
      if (response.status >= 200 && response.status < 300) return response;
      const refusal = await readText(request, response.body, maxErrorBytes);
      throw apiStatusError(parseApiStatus(request, response.status, response.headers, refusal, clock.now()));
    } catch (error) {
      if (errorCode(error) === kubeClientErrorCodes.apiUnreachable) metrics.requests.inc({ code: '<error>', method, host });
      throw error;
    } finally {
      metrics.duration.observe((clock.monotonic() - startedAt) / 1000, { verb: method, host });
    }
  };

  /** Sends with the current credentials, and once more if they were rejected and have changed. */
  const authenticated = async <T>(request: RequesterCall, attempt: (used: ClientCredentials) => Promise<T>): Promise<T> => {
    const used = await abortable(credentials.get(), request.signal);
    try {
      return await attempt(used);
    } catch (error) {
      const isRefused = apiStatusOf(error)?.code === 401;
      if (isRefused || errorCode(error) === kubeClientErrorCodes.credentialFile) credentials.rejected(used);
      if (!isRefused || request.signal?.aborted) throw error;
      const others = await abortable(credentials.get(), request.signal);
      if (others === used) throw error;
      await limit(request);
      return attempt(others);
    }
  };

  const limit = async ({ method, signal }: RequesterCall) => {
    const startedAt = clock.monotonic();
    await limiter.acquire(signal);
    metrics.rateLimiter.observe((clock.monotonic() - startedAt) / 1000, { verb: method, host });
  };

  const textOnce = (request: RequesterCall, used: ClientCredentials) => {
    const error = () =>
      unreachable(host, 'timeout', `no response to ${request.method} ${request.path} within ${requestTimeoutMs / 1000} s`);
    return withDeadline({ clock, timeoutMs: requestTimeoutMs, signal: request.signal, error }, async (signal) => {
      const response = await send(request, used, signal, options.compression && request.method === 'GET');
      return readText(request, response.body, maxResponseBytes);
    });
  };

  return {
    maxResponseBytes,
    async text(request) {
      for (let retries = 0; ; retries++) {
        try {
          await limit(request);
          return await authenticated(request, (used) => textOnce(request, used));
        } catch (error) {
          const delay = request.signal?.aborted ? undefined : retryDelay({ method: request.method, error, retries }, random);
          if (delay === undefined) throw error;
          const code = String(apiStatusOf(error)?.code ?? '<error>');
          metrics.retries.inc({ code, verb: request.method, host });
          logger.debug({ method: request.method, path: request.path, code, delay }, 'retrying API server request');
          await clock.sleep(delay, request.signal);
        }
      }
    },
    async stream(request) {
      await limit(request);
      const response = await authenticated(request, (used) => send(request, used, request.signal, false, true));
      return response.body;
    },
    async closeOldConnections() {
      transport.closeOldConnections?.((await credentials.get()).tls);
    },
  };
}

/** The query string with a leading `?`; empty without parameters. */
function queryText(query: RequesterCall['query'] = {}): string {
  const set = Object.entries(query).filter((entry): entry is [string, string | number | boolean] => entry[1] !== undefined);
  const text = new URLSearchParams(set.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}
