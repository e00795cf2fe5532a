import type { RequestUser } from '../access/user.js';

/** A request as a transport hands it over: no socket, no stream. */
export interface ApiRequest {
  /** Default GET. */
  method?: string;
  /** Path and query, such as `/api/v1/pods?limit=5`. */
  url: string;
  /** Names in lower case. */
  headers?: Readonly<Record<string, string | undefined>>;
  /** JSON, as text or parsed; with the content type of Kubernetes' protobuf its bytes. */
  body?: unknown;
  /** Ends a watch. */
  signal?: AbortSignal;
  /** Who calls, where the transport knows: by default the bearer token tells. */
  user?: RequestUser;
}

/** An answer: a whole one, or one that comes in pieces and ends when the caller returns from it. */
export interface ApiResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string | AsyncIterable<string | Uint8Array>;
}

/** An answer of JSON. */
export function jsonResponse(status: number, value: unknown, headers: Record<string, string> = {}): ApiResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: `${JSON.stringify(value)}\n` };
}

/** An answer of JSON that is text already. */
export function jsonTextResponse(status: number, text: string): ApiResponse {
  return { status, headers: { 'content-type': 'application/json' }, body: `${text}\n` };
}

/** An answer of plain text. */
export function textResponse(status: number, text: string): ApiResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: text };
}
