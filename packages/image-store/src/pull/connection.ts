import { readFile } from 'node:fs/promises';
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, request as requestHttps } from 'node:https';
import tls from 'node:tls';
import { type Clock, NodeAgentError } from '@nodeagent/api';
import { imageStoreErrorCodes } from '../errors.js';
import type { RegistryEndpoint } from '../registry/endpoint.js';

/** A request over HTTP/1.1. */
interface HttpRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** Whether it leaves the endpoint's host: the client's certificate is not for that. */
  isElsewhere?: boolean;
  signal: AbortSignal;
}

/** Sends requests to the host of an endpoint, and where it redirects. */
export interface Connection {
  /** Resolves once the head of the response is there. Rejects with the network's error, or with the signal's reason. */
  send(request: HttpRequest): Promise<IncomingMessage>;
  /** The chunks of a body. Rejects if none comes for a minute, if the body ends early, and with the signal's reason. */
  chunks(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array>;
  close(): void;
}

/** A server that sends nothing for so long is given up. containerd's `image_pull_progress_timeout` is longer, and for a whole pull. */
const stallTimeoutMs = 60_000;

/** Creates the connection of an endpoint; reads the files of its certificates. */
export async function createConnection(endpoint: RegistryEndpoint, clock: Pick<Clock, 'setTimeout'>): Promise<Connection> {
  const { trust, identity } = await tlsOptions(endpoint);
  const keepAlive = { keepAlive: true, maxFreeSockets: 4 };
  const plain = new HttpAgent(keepAlive);
  const own = new HttpsAgent({ ...keepAlive, ...trust, ...identity });
  const elsewhere = new HttpsAgent({ ...keepAlive, ...trust });
  const agents = [plain, own, elsewhere];

  const send = ({ method, url, headers, body, isElsewhere, signal }: HttpRequest) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      signal.throwIfAborted();
      const isSecure = url.startsWith('https:');
      const request = isSecure ? requestHttps : requestHttp;
      const agent = isSecure ? (isElsewhere ? elsewhere : own) : plain;
      const sent = request(url, { method, headers, agent });
      const abort = () => sent.destroy(signal.reason);
      const timer = clock.setTimeout(() => sent.destroy(stalled(url)), stallTimeoutMs);
      const settle = () => {
        timer.cancel();
        signal.removeEventListener('abort', abort);
      };
      signal.addEventListener('abort', abort, { once: true });
      sent.on('response', (response) => {
        settle();
        resolve(response);
      });
      sent.on('error', (error) => {
        settle();
        reject(signal.aborted ? signal.reason : error);
      });
      sent.end(body);
    });

  async function* chunks(response: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const url = response.url ?? '';
    let timer = clock.setTimeout(() => response.destroy(stalled(url)), stallTimeoutMs);
    const abort = () => response.destroy(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      signal.throwIfAborted();
      for await (const chunk of response) {
        timer.cancel();
        yield chunk;
        timer = clock.setTimeout(() => response.destroy(stalled(url)), stallTimeoutMs);
      }
      signal.throwIfAborted();
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      timer.cancel();
      signal.removeEventListener('abort', abort);
      response.destroy();
    }
  }

  const close = () => {
    for (const agent of agents) agent.destroy();
  };
  return { send, chunks, close };
}

function stalled(url: string): NodeAgentError {
  // Without its query: that of a redirect is often a signature, which gives access to the content.
  const place = url.replace(/\?.*/, '');
  return new NodeAgentError(
    imageStoreErrorCodes.registryUnavailable,
    `no data from the registry for ${stallTimeoutMs / 1000} s: ${place}`,
    {
      retryable: true,
    },
  );
}

async function tlsOptions({ skipVerify, caFiles = [], clientCertificates = [] }: RegistryEndpoint) {
  const read = (path: string) => readFile(path, 'utf8');
  const authorities = await Promise.all(caFiles.map(read));
  const cert = await Promise.all(clientCertificates.map(({ certificate }) => read(certificate)));
  const key = await Promise.all(clientCertificates.map(({ certificate, key }) => read(key ?? certificate)));
  const trust: AgentOptions = {
    rejectUnauthorized: skipVerify !== true,
    ...(authorities.length > 0 && { ca: [...tls.rootCertificates, ...authorities] }),
  };
  return { trust, identity: cert.length > 0 ? { cert, key } : {} };
}

/** The text of a body of at most `maxBytes`; undefined if it is longer, of which no more is read. */
export async function readBody(
  connection: Connection,
  response: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of connection.chunks(response, signal)) {
    length += chunk.length;
    if (length > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
