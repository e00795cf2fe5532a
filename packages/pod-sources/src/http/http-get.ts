import { concatBytes } from '@nodeagent/api/helpers';

/** The response of a URL. `body` is truncated somewhere beyond {@link HttpGetOptions.limit}. */
export interface HttpAnswer {
  status: number;
  statusText: string;
  body: Uint8Array;
}

export interface HttpGetOptions {
  headers: Readonly<Record<string, string>>;
  /** Maximum size of the body in bytes. A larger body is read to some point beyond the limit, so that the caller can detect it. */
  limit: number;
  signal: AbortSignal;
}

/** Fetches a URL. */
export type HttpGet = (url: string, options: HttpGetOptions) => Promise<HttpAnswer>;

/** {@link HttpGet} with `fetch`. */
export const fetchGet: HttpGet = async (url, { headers, limit, signal }) => {
  const response = await fetch(url, { headers: { ...headers }, signal }).catch((error) => {
    throw error.cause ?? error;
  });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > limit) break;
  }
  return { status: response.status, statusText: response.statusText, body: concatBytes(chunks) };
};
