import type { IncomingMessage } from 'node:http';
import { type Clock, errorCode, errorMessage, NodeAgentError, type Random } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import { imageStoreErrorCodes } from '../errors.js';
import { manifestAccept, maxManifestBytes } from '../image/manifest.js';
import type { RegistryEndpoint } from '../registry/endpoint.js';
import { followRedirect, registryRetryDelay } from '../registry/retry.js';
import type { RegistryCredentials } from '../registry/token.js';
import { type Authorizer, createAuthorizer } from './authorizer.js';
import { type Connection, createConnection, readBody } from './connection.js';

/** A response whose status is one of success. */
export interface RegistryResponse {
  status: number;
  headers: IncomingMessage['headers'];
  chunks(): AsyncGenerator<Uint8Array>;
}

/** Speaks the OCI distribution specification with one endpoint, for one repository. */
export interface RegistryClient {
  readonly endpoint: RegistryEndpoint;
  /** The content of a manifest or an index, and its media type. */
  manifest(reference: string, signal: AbortSignal): Promise<{ content: Buffer; mediaType: string | undefined; digest: string | undefined }>;
  /** One response with a blob, from a byte on; the caller retries. */
  blob(digest: string, from: number, signal: AbortSignal): Promise<RegistryResponse>;
  /** Calls again what failed, after the delay of {@link registryRetryDelay}, until it succeeds or must not be retried. */
  retrying<T>(signal: AbortSignal, work: () => Promise<T>, hasProgressed?: () => boolean): Promise<T>;
  close(): void;
}

/** What a client needs. */
export interface RegistryClientOptions {
  endpoint: RegistryEndpoint;
  credentials?: RegistryCredentials | undefined;
  /** How often a request is sent at most. */
  maxAttempts?: number;
  clock: Clock;
  random: Random;
}

const maxChallenges = 3;
const maxErrorBytes = 4096;
const redirects = new Set([301, 302, 303, 307, 308]);

/** Creates a {@link RegistryClient}. */
export async function createRegistryClient(options: RegistryClientOptions): Promise<RegistryClient> {
  const { endpoint, credentials, clock } = options;
  const connection = await createConnection(endpoint, clock);
  return new Client(options, connection, createAuthorizer(connection, endpoint, credentials, clock));
}

class Client implements RegistryClient {
  readonly endpoint: RegistryEndpoint;
  readonly #options: RegistryClientOptions;
  readonly #connection: Connection;
  readonly #authorizer: Authorizer;

  constructor(options: RegistryClientOptions, connection: Connection, authorizer: Authorizer) {
    this.endpoint = options.endpoint;
    this.#options = options;
    this.#connection = connection;
    this.#authorizer = authorizer;
  }

  async manifest(reference: string, signal: AbortSignal) {
    return this.retrying(signal, async () => {
      const response = await this.#get(`manifests/${reference}`, { accept: manifestAccept }, signal);
      const content = await readBody(this.#connection, response, maxManifestBytes, signal);
      if (content === undefined) {
        throw new NodeAgentError(
          imageStoreErrorCodes.invalidManifest,
          `the manifest of ${this.#place(reference)} is larger than ${maxManifestBytes} bytes`,
        );
      }
      const { 'content-type': type, 'docker-content-digest': digest } = response.headers;
      return { content, mediaType: type?.split(';')[0]?.trim(), digest: typeof digest === 'string' ? digest : undefined };
    });
  }

  async blob(digest: string, from: number, signal: AbortSignal): Promise<RegistryResponse> {
    const response = await this.#get(`blobs/${digest}`, from > 0 ? { range: `bytes=${from}-` } : {}, signal);
    return { status: response.statusCode ?? 0, headers: response.headers, chunks: () => this.#connection.chunks(response, signal) };
  }

  async retrying<T>(signal: AbortSignal, work: () => Promise<T>, hasProgressed = () => false): Promise<T> {
    const { clock, random, maxAttempts } = this.#options;
    for (let failures = 1; ; failures++) {
      try {
        return await work();
      } catch (error) {
        signal.throwIfAborted();
        if (!isRetryable(error)) throw error;
        if (hasProgressed()) failures = 1;
        const { status, retryAfter } = detailsOf(error);
        const delayMs = registryRetryDelay(
          { failures, ...(maxAttempts && { maxAttempts }), ...(status && { status }), ...(retryAfter && { retryAfter }) },
          clock.now(),
          random,
        );
        if (delayMs === undefined) throw this.#unavailable(error);
        await clock.sleep(delayMs, signal);
      }
    }
  }

  close(): void {
    this.#connection.close();
  }

  /** Follows redirects and answers challenges. Rejects for every status that is not one of success. */
  async #get(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage> {
    const { url, repository, namespace } = this.endpoint;
    const query = namespace === undefined ? '' : `?ns=${encodeURIComponent(namespace)}`;
    const first = `${url}/${repository}/${path}${query}`;
    for (let challenges = 0; ; challenges++) {
      const authorization = this.#authorizer.header();
      const { response, isElsewhere } = await this.#follow(first, headers, authorization, signal);
      const { statusCode: status = 0 } = response;
      if (status >= 200 && status < 300) return response;
      const error = await this.#refused(path, response, signal);
      // The challenge of another host could name a token server that collects credentials.
      if (status !== 401 || isElsewhere || challenges >= maxChallenges) throw error;
      if (!(await this.#authorizer.answer(response.headers['www-authenticate'], authorization, signal))) throw error;
    }
  }

  async #follow(
    first: string,
    headers: Readonly<Record<string, string>>,
    authorization: string | undefined,
    signal: AbortSignal,
  ): Promise<{ response: IncomingMessage; isElsewhere: boolean }> {
    const visited = [first];
    let own: Readonly<Record<string, string>> = { ...this.endpoint.headers, ...(authorization !== undefined && { authorization }) };
    for (let isElsewhere = false; ; ) {
      const response = await this.#connection.send({
        method: 'GET',
        url: visited.at(-1) ?? first,
        headers: { 'user-agent': 'nodeagent', 'accept-encoding': 'identity', ...headers, ...own },
        isElsewhere,
        signal,
      });
      if (!redirects.has(response.statusCode ?? 0)) return { response, isElsewhere };
      response.destroy();
      const next = followRedirect(visited, response.headers.location);
      if (next === undefined) {
        throw new NodeAgentError(imageStoreErrorCodes.invalidResponse, `the registry's redirect of ${first} cannot be followed`, {
          details: { location: response.headers.location?.slice(0, 200) },
        });
      }
      // Once elsewhere, a redirect back gets no credentials either: another host decided on it.
      if (next.isElsewhere) own = {};
      isElsewhere ||= next.isElsewhere;
      visited.push(next.url);
    }
  }

  async #refused(path: string, response: IncomingMessage, signal: AbortSignal): Promise<NodeAgentError> {
    const { statusCode: status = 0 } = response;
    const body = await readBody(this.#connection, response, maxErrorBytes, signal);
    const reason = registryErrorText(body?.toString() ?? '');
    const retryAfter = response.headers['retry-after'];
    const code = codeOfStatus(status);
    return new NodeAgentError(code, `${this.#place(path)}: unexpected status ${status}${reason}`, {
      retryable: code === imageStoreErrorCodes.registryUnavailable,
      details: { status, ...(retryAfter !== undefined && { retryAfter }) },
    });
  }

  #unavailable(error: unknown): NodeAgentError {
    if ((error as Partial<NodeAgentError>).retryable !== undefined) return error as NodeAgentError;
    return new NodeAgentError(imageStoreErrorCodes.registryUnavailable, `${this.#place('')}: ${errorMessage(error)}`, {
      retryable: true,
      cause: error,
    });
  }

  #place(path: string): string {
    return `${this.endpoint.url}/${this.endpoint.repository}${path === '' ? '' : `/${path}`}`;
  }
}

function codeOfStatus(status: number): string {
  if (status === 401 || status === 403) return imageStoreErrorCodes.unauthorized;
  if (status === 404) return imageStoreErrorCodes.imageNotFound;
  const isTemporary = status === 408 || status === 429 || status >= 500;
  return isTemporary ? imageStoreErrorCodes.registryUnavailable : imageStoreErrorCodes.invalidResponse;
}

/** Codes of Node's errors that a second attempt does not change. */
const finalCodes =
  /^(ENOTFOUND|ERR_INVALID|CERT_|DEPTH_ZERO_SELF_SIGNED|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL_|ENOSPC|EDQUOT|EACCES|EROFS|HPE_|EPROTO)/;

function isRetryable(error: unknown): boolean {
  const { retryable } = error as Partial<NodeAgentError>;
  if (retryable !== undefined) return retryable;
  return !finalCodes.test(errorCode(error) ?? '') || errorCode(error) === 'EAI_AGAIN';
}

const detailsOf = (error: unknown) =>
  ((error as Partial<NodeAgentError>).details ?? {}) as { readonly status?: number; readonly retryAfter?: string };

/** The reason that a registry reports for a failure: OCI distribution specification, "Error Codes". */
function registryErrorText(body: string): string {
  try {
    const { errors } = JSON.parse(body) as { errors?: unknown };
    const [first] = Array.isArray(errors) ? errors : [];
    const text = isObject(first) ? [first.code, first.message].filter((part) => typeof part === 'string').join(': ') : '';
    return text === '' ? '' : `: ${text.replace(/[^\x20-\x7e]/g, '?').slice(0, 300)}`;
  } catch {
    return '';
  }
}
