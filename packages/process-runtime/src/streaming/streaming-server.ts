import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Clock, errorMessage, type Logger, NodeAgentError } from '@nodeagent/api';
import { refuseUpgrade, streamingErrorCodes, type UpgradeRequest } from '@nodeagent/streaming';
import { processRuntimeErrorCodes } from '../errors.js';

/** How long a URL is valid, in milliseconds. */
const offerTtlMs = 60_000;
/** Maximum number of pending URLs. */
const maxOffers = 1000;

/** Maximum number of connections: every process of the machine can open some. */
const maxConnections = 1000;

/** Serves the client of a URL; rejects on failure. */
type StreamHandler = (client: UpgradeRequest) => Promise<void>;

/** The HTTP server behind the URLs of CRI's Exec, Attach and PortForward. It listens from the first URL on. */
export interface StreamingServer {
  /** Creates a URL on the loopback interface. The first client that connects to it within a minute is served by `handler`. */
  offer(kind: string, handler: StreamHandler): Promise<string>;
  /** Destroys all connections. */
  close(): Promise<void>;
}

export function createStreamingServer({ clock, logger }: { clock: Clock; logger: Logger }): StreamingServer {
  const offers = new Map<string, { handler: StreamHandler; until: number }>();
  const sockets = new Set<Duplex>();
  let server: Promise<Server> | undefined;

  const deleteExpired = () => {
    for (const [path, { until }] of offers) {
      if (until > clock.monotonic()) return;
      offers.delete(path);
    }
  };

  const onUpgrade = async (client: UpgradeRequest) => {
    const { request, socket } = client;
    socket.on('error', () => socket.destroy());
    deleteExpired();
    const path = request.url ?? '';
    const offer = offers.get(path);
    offers.delete(path);
    if (offer === undefined) {
      refuseUpgrade(socket, 404, 'the URL is unknown, already used or expired\n');
      return;
    }
    try {
      await offer.handler(client);
    } catch (error) {
      const { code, details } = error as Partial<NodeAgentError>;
      const status = code === streamingErrorCodes.unacceptable ? Number(details?.status) : 500;
      logger.debug({ err: error }, 'cannot serve a stream');
      if (socket.writable) refuseUpgrade(socket, status, `${errorMessage(error)}\n`);
    }
  };

  const listen = async () => {
    const created = createServer((_request, response) => response.writeHead(400).end('Upgrade request required\n'));
    created.maxConnections = maxConnections;
    created.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    created.on('upgrade', (request, socket, head) => void onUpgrade({ request, socket, head }));
    await new Promise<void>((resolve, reject) => {
      created.once('error', reject);
      created.listen(0, '127.0.0.1', resolve);
    });
    created.unref();
    return created;
  };

  return {
    async offer(kind, handler) {
      deleteExpired();
      if (offers.size >= maxOffers) {
        throw new NodeAgentError(processRuntimeErrorCodes.resourceExhausted, 'maximum number of in-flight requests exceeded', {
          retryable: true,
        });
      }
      server ??= listen();
      const { port } = (await server).address() as AddressInfo;
      const path = `/${kind}/${randomBytes(24).toString('base64url')}`;
      offers.set(path, { handler, until: clock.monotonic() + offerTtlMs });
      return `http://127.0.0.1:${port}${path}`;
    },
    async close() {
      offers.clear();
      const running = await server?.catch(() => undefined);
      server = undefined;
      running?.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
