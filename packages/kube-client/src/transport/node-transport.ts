import { type ClientRequest, type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { createGunzip } from 'node:zlib';
import { errorMessage, NodeAgentError } from '@nodeagent/api';
import { kubeClientErrorCodes, type UnreachableStage, unreachable } from '../errors.js';
import { createAgents } from './agents.js';
import type { ClientTls, Transport, TransportResponse } from './transport.js';

export interface NodeTransportOptions {
  /** `https://host:6443`, optionally with a base path of the API. */
  server: string;
  /** The name that the server's certificate must have. Default: the host. */
  tlsServerName?: string;
  insecureSkipTlsVerify?: boolean;
  /** An `http:` or `https:` proxy that supports CONNECT. */
  proxyUrl?: string;
}

/** HTTP/1.1 by node:http and node:https with keep-alive; decompresses gzip bodies. */
export function createNodeTransport(options: NodeTransportOptions): Transport {
  const server = new URL(options.server);
  const base = server.pathname.replace(/\/+$/, '');
  const agents = createAgents({ ...options, server });
  const open = server.protocol === 'https:' ? httpsRequest : httpRequest;
  /** The open watches, and the pools of their connections. */
  const watches = new Map<ClientRequest, HttpAgent>();
  const failed = (stage: UnreachableStage, error: unknown) => unreachable(server.origin, stage, describe(error), error);
  const agentFor = (tls: ClientTls | undefined) => {
    try {
      return agents.get(tls);
    } catch (error) {
      throw new NodeAgentError(kubeClientErrorCodes.credentialFile, `the certificates cannot be used: ${errorMessage(error)}`, {
        retryable: true,
        cause: error,
      });
    }
  };

  return {
    async send({ method, path, headers, body, tls, isWatch = false, signal }) {
      await readConnections();
      return new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const agent = agentFor(tls);
        const request = open({
          host: server.hostname.replace(/^\[|\]$/g, ''),
          port: server.port || undefined,
          method,
          path: base + path,
          headers: body === undefined ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) },
          agent,
        });
        const abort = () => request.destroy(signal.reason);
        signal.addEventListener('abort', abort, { once: true });
        if (isWatch) watches.set(request, agent);
        request.once('close', () => {
          signal.removeEventListener('abort', abort);
          watches.delete(request);
        });
        const isConnected = watchConnection(request);
        request.on('error', (error) => reject(signal.aborted ? signal.reason : failed(isConnected() ? 'response' : 'connect', error)));
        request.once('response', (response) =>
          resolve(toResponse(response, { signal, failed, isEnded: () => isWatch && !watches.has(request) })),
        );
        request.end(body);
      });
    },
    closeConnections: () => agents.closeAll(),
    closeOldConnections(tls) {
      const current = agentFor(tls);
      for (const [request, agent] of watches) {
        if (agent === current) continue;
        watches.delete(request);
        request.destroy();
      }
    },
  };
}

/**
 * Lets the event loop poll once, which removes the idle connections that the server has closed meanwhile. A write that is sent on one of them
 * fails, and cannot be retried. The second turn is for callers that run in the polling phase, after which the first one follows at once.
 */
const readConnections = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

/** Returns a function that reports whether the connection of a request (and its TLS) is established. Before that, nothing was sent. */
function watchConnection(request: ClientRequest): () => boolean {
  let stands = false;
  request.once('socket', (socket) => {
    const isSecure = 'encrypted' in socket;
    if (request.reusedSocket || (!isSecure && !socket.connecting)) stands = true;
    else {
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        stands = true;
      });
    }
  });
  return () => stands;
}

function describe(error: unknown): string {
  const message = errorMessage(error) || String((error as { code?: unknown }).code ?? 'connection failed');
  return message === 'aborted' ? 'the connection was lost' : message;
}

interface Reading {
  signal: AbortSignal;
  failed(stage: UnreachableStage, error: unknown): NodeAgentError;
  /** Whether the transport ended the watch. */
  isEnded(): boolean;
}

function toResponse(response: IncomingMessage, reading: Reading): TransportResponse {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers)) if (value !== undefined) headers[name] = String(value);
  return { status: response.statusCode ?? 0, headers, body: readBody(response, reading) };
}

async function* readBody(response: IncomingMessage, { signal, failed, isEnded }: Reading): AsyncIterable<Uint8Array> {
  const unpacked = response.headers['content-encoding'] === 'gzip' ? createGunzip() : undefined;
  if (unpacked !== undefined) response.once('error', (error) => unpacked.destroy(error)).pipe(unpacked);
  try {
    for await (const chunk of unpacked ?? response) yield chunk as Buffer;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (!isEnded()) throw failed('response', error);
  } finally {
    response.destroy();
  }
}
