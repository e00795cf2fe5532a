import { errorMessage, silentLogger } from '@nodeagent/api';
import {
  acceptOverWebSocket,
  acceptWebSocket,
  createWebSocket,
  dialForClient,
  isWebSocket,
  joinTunnel,
  offeredProtocols,
  openHeaders,
  openRemoteCommand,
  portForwardProtocol,
  type RelayUpgradeOptions,
  type RemoteCommandStreams,
  refuseUpgrade,
  relayUpgrade,
  resetConnection,
  tunnelPrefix,
  type UpgradedConnection,
} from '@nodeagent/streaming';

/** The version of the protocol that runtimes do not speak. */
const translatedProtocol = 'v5.channel.k8s.io';
const tunnelProtocol = tunnelPrefix + portForwardProtocol;
const forwardHeaders = ['Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'X-Stream-Protocol-Version', portForwardProtocol];

/** Options of {@link relayStream}. */
export interface RelayStreamOptions extends RelayUpgradeOptions {
  /** The requested streams of exec or attach; absent for port-forward. */
  streams?: RemoteCommandStreams;
}

/**
 * Relays exec, attach or port-forward to the runtime (gate ExtendWebSocketsToKubelet). Two kinds of connections are terminated here,
 * because runtimes do not support them: a WebSocket of `v5.channel.k8s.io` is translated to SPDY/3.1 of `v4.channel.k8s.io`, and one that
 * carries a SPDY/3.1 connection in its messages (`SPDY/3.1+portforward.k8s.io`) is unpacked. All others are relayed by {@link
 * relayUpgrade}.
 */
export function relayStream(options: RelayStreamOptions): void {
  const { request, streams } = options;
  const offered = isWebSocket(request) ? offeredProtocols(request) : [];
  if (streams !== undefined && offered.includes(translatedProtocol)) {
    void dialForClient(options, { method: 'POST', headers: openHeaders }, (upgraded) => void translate(options, upgraded, streams));
  } else if (streams === undefined && offered.includes(tunnelProtocol)) {
    void dialForClient(options, { method: 'POST', headers: forwardHeaders }, (upgraded) => unpack(options, upgraded));
  } else relayUpgrade(options);
}

async function translate(options: RelayStreamOptions, upgraded: UpgradedConnection, requested: RemoteCommandStreams): Promise<void> {
  const { request, socket, head } = options;
  const runtime = openRemoteCommand(upgraded, requested);
  const client = accepted(options, () => acceptOverWebSocket(request, socket, head, requested));
  if (client !== undefined) {
    client.onResize(runtime.resize);
    client.signal.addEventListener('abort', () => resetConnection(upgraded.socket), { once: true });
    if (client.stdin && runtime.stdin) client.stdin.pipe(runtime.stdin);
    if (client.stdout) runtime.stdout?.pipe(client.stdout);
    if (client.stderr) runtime.stderr?.pipe(client.stderr);
    await client.finish(await runtime.ended).catch(() => resetConnection(socket));
  }
  runtime.close();
}

function unpack(options: RelayStreamOptions, upgraded: UpgradedConnection): void {
  const { request, socket, head } = options;
  const answer = accepted(options, () => acceptWebSocket(request, tunnelProtocol));
  if (answer === undefined) {
    resetConnection(upgraded.socket);
    return;
  }
  socket.write(answer);
  upgraded.socket.unshift(upgraded.head);
  joinTunnel(createWebSocket({ socket, head, role: 'server' }), upgraded.socket);
}

/** The result of `accept`. A refused client gets an HTTP error, if the connection is not upgraded yet. */
function accepted<T>({ socket, logger = silentLogger }: RelayStreamOptions, accept: () => T): T | undefined {
  try {
    return accept();
  } catch (error) {
    logger.debug({ err: error }, 'a WebSocket client could not be taken');
    refuseUpgrade(socket, 400, `${errorMessage(error)}\n`);
    return undefined;
  }
}
