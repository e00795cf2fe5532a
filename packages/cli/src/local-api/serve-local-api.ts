import { chmodSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { Logger } from '@nodeagent/api';
import { unlinkIfExistsSync } from '@nodeagent/api/files';
import type { NodeAgent } from '@nodeagent/core/node';
import { reachAgentSocket } from './agent-socket.js';
import { answerRequest, type LocalApiSubject } from './answer-request.js';
import { createPodsVersion } from './pods-version.js';

/** Maximum number of connections; more are rejected. */
const maxConnections = 16;
/** Idle time after which a connection is closed, in milliseconds. */
const timeoutMs = 10_000;

export interface LocalApiOptions extends Omit<LocalApiSubject, 'podsVersion' | 'agent'> {
  agent: LocalApiSubject['agent'] & Pick<NodeAgent, 'on' | 'off'>;
  /** Directory of `agent.sock`. The caller holds the directory's lock, so an existing socket is stale. */
  rootDir: string;
  logger: Logger;
}

/**
 * Serves the local API that `nodeagent describe`, `pods`, `logs`, `exec`, `events`, `top` and `evict` query: JSON over HTTP/1.1 on a socket
 * that only the agent's user can open.
 * @returns a function that stops the server and removes the socket
 */
export async function serveLocalApi({ rootDir, logger, ...subject }: LocalApiOptions): Promise<() => Promise<void>> {
  const { path, release } = await reachAgentSocket(rootDir);
  const { agent, clock, rejected = () => [] } = subject;
  const podsVersion = createPodsVersion({ agent, rejected, clock });
  // Requests are short and answered at once: `timeout` limits idle clients, so the periodic connection check is not needed.
  const server = createServer({ keepAlive: false, connectionsCheckingInterval: 2 ** 31 - 1 }, async (request, response) => {
    const { method = '', url = '' } = request;
    const disconnected = new AbortController();
    response.once('close', () => disconnected.abort());
    const knownVersion = request.headers['if-none-match'];
    const answering = answerRequest({ ...subject, podsVersion: podsVersion.current }, { method, url, knownVersion }, disconnected.signal);
    const { status, body, version } = await answering;
    logger.debug({ method, url, status }, 'local API');
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close', ...(version && { etag: version }) });
    response.end(body && JSON.stringify(body));
  });
  server.maxConnections = maxConnections;
  server.timeout = timeoutMs;
  try {
    unlinkIfExistsSync(path);
    await listen(server, path);
    chmodSync(path, 0o600);
  } catch (error) {
    podsVersion.close();
    await close(server);
    await release();
    throw error;
  }
  server.on('error', (error) => logger.debug({ err: error }, 'local API'));
  return async () => {
    podsVersion.close();
    await close(server);
    await release();
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Removes the socket as well. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
