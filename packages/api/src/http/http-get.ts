import { errorMessage } from '../contracts/errors.js';
import { quoteText } from '../helpers/text.js';
import { type ByteReader, createByteReader } from './byte-reader.js';
import { latin1 } from './bytes.js';
import { readBody } from './response-body.js';
import { parseHead, type ResponseHead } from './response-head.js';

/** A GET request, in Latin-1. */
export interface HttpGetRequest {
  /** Path and query. */
  target: string;
  /** In sending order, `Host` included. A field with several values is sent several times. */
  headers: Readonly<Record<string, string | readonly string[]>>;
}

/** The part of a connection that is used, such as a `Socket` of Node. */
export interface HttpConnection {
  iterator(options: { destroyOnReturn: boolean }): AsyncIterator<Uint8Array>;
  write(text: string, encoding: 'latin1'): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  destroy(error?: Error): unknown;
}

/** A response whose body has not been read yet. */
export interface HttpGetResponse {
  status: number;
  /** First value of the header, Latin-1. */
  location?: string | undefined;
  /** Resolves to the body, or its first `limit` bytes. Rejects if it is incomplete or malformed, with Go's message, or with the signal's reason. */
  readBody(limit: number): Promise<Uint8Array>;
  /** Closes the connection. */
  close(): void;
}

/** Maximum size of a response's head, with the informational responses before it: Go's default. */
const maxHeadBytes = 10 << 20;

/**
 * Sends a GET request over HTTP/1.1 on a connection that was made for it, and reads the response as Go's HTTP client does: it accepts lines
 * that end with LF, folded fields, equal lengths and a length beside chunks, which `node:http` refuses. Resolves when the head has arrived.
 * Rejects for a malformed response, with Go's message, with the connection's error, or with the signal's reason; then the connection is closed.
 */
export async function httpGetOver(connection: HttpConnection, request: HttpGetRequest, signal?: AbortSignal): Promise<HttpGetResponse> {
  const onAbort = () => connection.destroy(signal?.reason);
  const close = () => {
    signal?.removeEventListener('abort', onAbort);
    connection.destroy();
  };
  // The reader receives errors while it reads; a later one must not be unhandled.
  connection.on('error', () => {});
  try {
    signal?.throwIfAborted();
    signal?.addEventListener('abort', onAbort, { once: true });
    const bytes = createByteReader(connection.iterator({ destroyOnReturn: false }));
    connection.write(requestText(request), 'latin1');
    const { status, location, framing } = await readHead(bytes);
    return { status, location, close, readBody: (limit) => readBody(bytes, framing, limit) };
  } catch (error) {
    close();
    throw error;
  }
}

async function readHead(bytes: ByteReader): Promise<ResponseHead> {
  const noResponse = new Error('EOF');
  const tooLong = new Error(`net/http: server response headers exceeded ${maxHeadBytes} bytes; aborted`);
  let length = 0;
  const nextLine = async () => {
    const line = await bytes.line(maxHeadBytes - length, tooLong);
    if (line === undefined) throw length === 0 ? noResponse : new Error('unexpected EOF');
    length += line.length;
    return latin1(line);
  };
  try {
    return await parseHead(nextLine);
  } catch (error) {
    if (bytes.failure !== undefined || error === noResponse) throw error;
    throw new Error(`net/http: HTTP/1.x transport connection broken: ${errorMessage(error)}`, { cause: error });
  }
}

function requestText({ target, headers }: HttpGetRequest): string {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${name}: ${name === 'Host' ? validHost(value) : validValue(name, value)}\r\n`),
  );
  return `GET ${target} HTTP/1.1\r\n${lines.join('')}Connection: close\r\n\r\n`;
}

function validValue(name: string, value: string): string {
  if (!/^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/.test(name)) throw new Error(`net/http: invalid header field name ${quoteText(name)}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these would end the line, or are refused by servers
  if (/[\0-\x08\n-\x1f\x7f]/.test(value)) throw new Error(`net/http: invalid header field value for ${quoteText(name)}`);
  return value;
}

/** As Go does, an invalid host is sent as an empty one. */
function validHost(host: string): string {
  return /^[A-Za-z0-9!$%&'()*+,\-.:;=[\]_~]*$/.test(host) ? host : '';
}
