/** A request as a program's server gets it. Its methods settle without real I/O, which those of the WHATWG class do not promise. */
export interface ServerRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** The path, not decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The client's IP address. */
  readonly remoteAddress: string;
  text(): Promise<string>;
  json(): Promise<unknown>;
}

/** What a handler answers: a text, or a response. Default status 200, default body empty. */
export type ServerReply =
  | string
  | {
      status?: number;
      headers?: Readonly<Record<string, string>>;
      /** A text, or its parts. */
      body?: string | AsyncIterable<string>;
      /** A body as JSON, with its content type. */
      json?: unknown;
    }
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return value answers, too.
  | void;

/** Serves HTTP requests. An error is logged, and the client gets status 500. */
export type HttpHandler = (request: ServerRequest) => ServerReply | Promise<ServerReply>;

/** The answer of `grpc.health.v1.Health/Check`; undefined for an unknown service. */
export type HealthStatus = 'SERVING' | 'NOT_SERVING' | 'UNKNOWN' | undefined;

/** Serves gRPC health checks: GRPC Health Checking Protocol. The service is empty for the whole server. */
export interface HealthHandler {
  health(service: string): HealthStatus | Promise<HealthStatus>;
}

export type ListenHandler = HttpHandler | HealthHandler;

/** A listening server. */
export interface ListeningServer {
  readonly port: number;
  /** Refuses new connections; requests in flight complete. */
  close(): void;
}

export interface FetchOptions {
  /** Default `GET`. */
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** Aborts the request. Default: it waits for ever for a server that does not respond. */
  signal?: AbortSignal;
}

/** A response; its body can be read once. */
export interface FetchResponse {
  readonly status: number;
  /** Whether the status is 200 to 299. */
  readonly ok: boolean;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  text(): Promise<string>;
  json(): Promise<unknown>;
  /** The parts of the body as they arrive, such as the events of a watch. */
  readonly body: AsyncIterable<string>;
}

/** A request between a client and a server. */
export interface HttpMessage {
  method: string;
  url: URL;
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** The client's IP address. */
  remoteAddress: string;
  signal: AbortSignal;
}

/** A response between a server and a client. */
export interface HttpReply {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string | AsyncIterable<string | Uint8Array>;
}

export function serverRequest({ method, url, headers, body, remoteAddress }: HttpMessage): ServerRequest {
  return {
    method,
    url: `${url.pathname}${url.search}`,
    path: url.pathname,
    query: new URLSearchParams(url.search),
    headers,
    remoteAddress,
    text: async () => body,
    json: async () => JSON.parse(body),
  };
}

/** The reply of a handler with its defaults. */
export function httpReply(reply: ServerReply): HttpReply {
  if (reply === undefined || typeof reply === 'string') return { status: 200, headers: {}, body: reply ?? '' };
  const { status = 200, body = '', json } = reply;
  const headers = lowerCaseNames(reply.headers);
  if (json === undefined) return { status, headers, body };
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(json) };
}

/** `settled` waits for a part; `close` is called when there are no more. */
export function fetchResponse(
  { status, headers, body }: HttpReply,
  settled: <T>(promise: Promise<T>) => Promise<T>,
  close: () => void,
): FetchResponse {
  if (typeof body === 'string') close();
  let used = false;
  async function* parts(): AsyncGenerator<string, void, undefined> {
    if (used) throw new TypeError('Body is unusable: Body has already been read');
    used = true;
    if (typeof body === 'string') {
      if (body !== '') yield body;
      return;
    }
    const decoder = new TextDecoder();
    const iterator = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await settled(iterator.next());
        if (next.done) break;
        yield typeof next.value === 'string' ? next.value : decoder.decode(next.value, { stream: true });
      }
    } finally {
      close();
      await iterator.return?.();
    }
  }
  const text = async () => {
    let whole = '';
    for await (const part of parts()) whole += part;
    return whole;
  };
  return {
    status,
    ok: status >= 200 && status < 300,
    headers,
    text,
    json: async () => JSON.parse(await text()),
    get body() {
      return parts();
    },
  };
}

export function lowerCaseNames(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
