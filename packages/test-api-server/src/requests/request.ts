import type { RequestUser } from '../access/user.js';

/** A request without a socket or a stream. */
export interface ApiRequest {
  /** Default: GET. */
  method?: string;
  /** Path and query, such as `/api/v1/pods?limit=5`. */
  url: string;
  /** Names in lower case. */
  headers?: Readonly<Record<string, string | undefined>>;
  /** JSON, as text or parsed; bytes of the content type `application/vnd.kubernetes.protobuf`, or for another server. */
  body?: unknown;
  /** Ends a watch. */
  signal?: AbortSignal;
  /** The user, if the transport has authenticated it. Default: the user of the bearer token. */
  user?: RequestUser;
}

const noQuery = new URLSearchParams();

/** The query of the URL, for reading. */
export function queryOf({ url }: Pick<ApiRequest, 'url'>): URLSearchParams {
  const at = url.indexOf('?');
  return at < 0 ? noQuery : new URLSearchParams(url.slice(at));
}

/**
 * A yes or no of the query; undefined if it is absent. Every value but `0` and `false` means yes, in upper case too: clients in Python send
 * `True`.
 */
export function flagOf(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  return value === null ? undefined : value !== '0' && value.toLowerCase() !== 'false';
}

/** A response: complete, or a stream that ends when the caller stops reading. */
export interface ApiResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string | AsyncIterable<string | Uint8Array>;
}

/** The whole body of a response. Rejects if it is longer than `maxLength` characters; default: no limit. */
export async function textOf({ body }: Pick<ApiResponse, 'body'>, maxLength = Number.POSITIVE_INFINITY): Promise<string> {
  if (typeof body === 'string') return body;
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of body) {
    text += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    if (text.length > maxLength) throw new Error(`the response is longer than ${maxLength} characters`);
  }
  return text;
}

/** A complete body of bytes. */
export class BytesBody implements AsyncIterable<Uint8Array> {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    yield this.bytes;
  }
}

/** A JSON response. */
export function jsonResponse(status: number, value: unknown, headers: Record<string, string> = {}): ApiResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: `${JSON.stringify(value)}\n` };
}

/** A JSON response that is already serialized. */
export function jsonTextResponse(status: number, text: string): ApiResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: `${text}\n` };
}

/** A plain text response. */
export function textResponse(status: number, text: string): ApiResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: text };
}
