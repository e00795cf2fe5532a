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
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport.js';
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
  stream(request: RequesterCall & { signal: AbortSignal }): Promise<TransportResponse['body']>;
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
  return new CredentialedRequester(options);
}

/** How a call is sent. */
interface SendOptions {
  signal: AbortSignal;
  compression: boolean;
  isWatch: boolean;
}

class CredentialedRequester implements Requester {
  readonly maxResponseBytes: number;
  readonly #options: RequesterOptions;
  readonly #metrics: ReturnType<typeof createRequestMetrics>;
  readonly #host: string;

  constructor(options: RequesterOptions) {
    this.maxResponseBytes = options.maxResponseBytes;
    this.#options = options;
    this.#metrics = createRequestMetrics(options.metrics);
    this.#host = new URL(options.server).host;
  }

  async text(request: RequesterCall): Promise<string> {
    const { clock, random, logger } = this.#options;
    for (let retries = 0; ; retries++) {
      try {
        await this.#limit(request);
        return await this.#authenticated(request, (used) => this.#textOnce(request, used));
      } catch (error) {
        const delay = request.signal?.aborted ? undefined : retryDelay({ method: request.method, error, retries }, random);
        if (delay === undefined) throw error;
        const code = String(apiStatusOf(error)?.code ?? '<error>');
        this.#metrics.retries.inc({ code, verb: request.method, host: this.#host });
        logger.debug({ method: request.method, path: request.path, code, delay }, 'retrying API server request');
        await clock.sleep(delay, request.signal);
      }
    }
  }

  async stream(request: RequesterCall & { signal: AbortSignal }): Promise<TransportResponse['body']> {
    const { signal } = request;
    await this.#limit(request);
    const response = await this.#authenticated(request, (used) => this.#send(request, used, { signal, compression: false, isWatch: true }));
    return response.body;
  }

  async closeOldConnections(): Promise<void> {
    const { transport, credentials } = this.#options;
    transport.closeOldConnections?.((await credentials.get()).tls);
  }

  async #limit({ method, signal }: RequesterCall): Promise<void> {
    const { clock, limiter } = this.#options;
    const startedAt = clock.monotonic();
    await limiter.acquire(signal);
    this.#metrics.rateLimiter.observe((clock.monotonic() - startedAt) / 1000, { verb: method, host: this.#host });
  }

  /** Sends with the current credentials, and once more if they were rejected and have changed. */
  async #authenticated<T>(request: RequesterCall, attempt: (used: ClientCredentials) => Promise<T>): Promise<T> {
    const { credentials } = this.#options;
    const used = await abortable(credentials.get(), request.signal);
    try {
      return await attempt(used);
    } catch (error) {
      const isRefused = apiStatusOf(error)?.code === 401;
      if (isRefused || errorCode(error) === kubeClientErrorCodes.credentialFile) credentials.rejected(used);
      if (!isRefused || request.signal?.aborted) throw error;
      const others = await abortable(credentials.get(), request.signal);
      if (others === used) throw error;
      await this.#limit(request);
      return attempt(others);
    }
  }

  #textOnce(request: RequesterCall, used: ClientCredentials): Promise<string> {
    const { clock, requestTimeoutMs, maxResponseBytes } = this.#options;
    const compression = this.#options.compression && request.method === 'GET';
    const error = () =>
      unreachable(this.#host, 'timeout', `no response to ${request.method} ${request.path} within ${requestTimeoutMs / 1000} s`);
    return withDeadline({ clock, timeoutMs: requestTimeoutMs, signal: request.signal, error }, async (signal) => {
      const response = await this.#send(request, used, { signal, compression, isWatch: false });
      return readText(request, response.body, maxResponseBytes);
    });
  }

  async #send(request: RequesterCall, used: ClientCredentials, options: SendOptions): Promise<TransportResponse> {
    const { transport, clock, userAgent } = this.#options;
    const { method } = request;
    const host = this.#host;
    const startedAt = clock.monotonic();
    try {
      const response = await transport.send(transportRequest(request, used, userAgent, options));
      this.#metrics.requests.inc({ code: String(response.status), method, host });
      if (response.status >= 200 && response.status < 300) return response;
      const refusal = await readText(request, response.body, maxErrorBytes);
      throw apiStatusError(parseApiStatus(request, response.status, response.headers, refusal, clock.now()));
    } catch (error) {
      if (errorCode(error) === kubeClientErrorCodes.apiUnreachable) this.#metrics.requests.inc({ code: '<error>', method, host });
      throw error;
    } finally {
      this.#metrics.duration.observe((clock.monotonic() - startedAt) / 1000, { verb: method, host });
    }
  }
}

function transportRequest(
  { method, path, query, body, contentType = 'application/json' }: RequesterCall,
  used: ClientCredentials,
  userAgent: string,
  { signal, compression, isWatch }: SendOptions,
): TransportRequest {
  const headers: Record<string, string> = { accept: 'application/json', 'user-agent': userAgent, ...used.headers };
  if (body !== undefined) headers['content-type'] = contentType;
  if (compression) headers['accept-encoding'] = 'gzip';
  return { method, path: path + queryText(query), headers, tls: used.tls, isWatch, signal, ...(body === undefined ? {} : { body }) };
}

/** The query string with a leading `?`; empty without parameters. */
function queryText(query: RequesterCall['query'] = {}): string {
  const set = Object.entries(query).filter((entry): entry is [string, string | number | boolean] => entry[1] !== undefined);
  return set.length === 0 ? '' : `?${new URLSearchParams(set.map(([name, value]): [string, string] => [name, String(value)]))}`;
}
