import { chmodSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type Logger, unlinkIfExistsSync } from '@nodeagent/api';
import { reachAgentSocket } from './agent-socket.js';
import { answerRequest, type LocalApiSubject } from './answer-request.js';

/** Clients at once; more are turned away. */
const mostConnections = 16;
/** How long a client may say nothing, in milliseconds. */
const patienceMs = 10_000;

export interface LocalApiOptions extends LocalApiSubject {
  /** The socket is `agent.sock` in it. The caller holds the folder's lock, so a socket that is there belongs to nobody. */
  rootDir: string;
  logger: Logger;
}

/**
 * Serves what `nodeagent describe`, `pods`, `logs`, `exec`, `events`, `top` and `evict` ask, as JSON over HTTP/1.1 on a socket that only the agent's user may open.
 *
 * @returns the function that ends it and removes the socket
 */
export async function serveLocalApi({ rootDir, logger, ...subject }: LocalApiOptions): Promise<() => Promise<void>> {
  const { path, release } = await reachAgentSocket(rootDir);
  // What comes is short and answered at once: the silence of a client is limited by `timeout`, so nothing has to look through them.
  const server = createServer({ keepAlive: false, connectionsCheckingInterval: 2 ** 31 - 1 }, async (request, response) => {
    const { method = '', url = '' } = request;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { status, body } = await answerRequest(subject, method, url, gone.signal);
    logger.debug({ method, url, status }, 'local API');
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify(body));
  });
  server.maxConnections = mostConnections;
  server.timeout = patienceMs;
  try {
    unlinkIfExistsSync(path);
    await listen(server, path);
    chmodSync(path, 0o600);
  } catch (error) {
    await close(server);
    await release();
    throw error;
  }
  server.on('error', (error) => logger.debug({ err: error }, 'local API'));
  return async () => {
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

/** Also removes the socket. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
