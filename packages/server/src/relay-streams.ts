import { errorMessage, silentLogger } from '@nodeagent/api';
import {
  acceptOverWebSocket,
  acceptWebSocket,
  breakOff,
  createWebSocket,
  isWebSocket,
  joinTunnel,
  offeredProtocols,
  openHeaders,
  openRemoteCommand,
  portForwardProtocol,
  tunnelPrefix,
  type WantedStreams,
} from '@nodeagent/streaming';
import { dialFor, type RelayUpgradeOptions, relayUpgrade } from './relay-upgrade.js';

/** The version of the protocol that runtimes do not speak. */
const translatedProtocol = 'v5.channel.k8s.io';
const tunnelProtocol = tunnelPrefix + portForwardProtocol;

/** Options of {@link relayExec}. */
export interface RelayExecOptions extends RelayUpgradeOptions {
  /** What the request asks for by its query. */
  wanted: WantedStreams;
}

/**
 * Hands an exec or attach through to the runtime. A WebSocket client of protocol `v5.channel.k8s.io` ends here and is translated to
 * SPDY/3.1 with protocol `v4.channel.k8s.io` (gate ExtendWebSocketsToKubelet); anything else goes through by {@link relayUpgrade}.
 */
export function relayExec(options: RelayExecOptions): void {
  const { request, wanted } = options;
  if (!isWebSocket(request) || !offeredProtocols(request).includes(translatedProtocol)) {
    relayUpgrade(options);
    return;
  }
  void dialFor(options, { method: 'POST', headers: openHeaders }, (upgraded) => void translate(options, upgraded, wanted));
}

async function translate(
  { request, socket, head, logger = silentLogger }: RelayExecOptions,
  upgraded: Parameters<typeof openRemoteCommand>[0],
  wanted: WantedStreams,
): Promise<void> {
  const runtime = openRemoteCommand(upgraded, wanted);
  try {
    const client = acceptOverWebSocket(request, socket, head, wanted);
    client.onResize(runtime.resize);
    client.signal.addEventListener('abort', () => breakOff(upgraded.socket), { once: true });
    if (client.stdin && runtime.stdin) client.stdin.pipe(runtime.stdin);
    if (client.stdout) runtime.stdout?.pipe(client.stdout);
    if (client.stderr) runtime.stderr?.pipe(client.stderr);
    await client.finish(await runtime.ended);
  } catch (error) {
    logger.debug({ error: errorMessage(error) }, 'a WebSocket client could not be translated');
    breakOff(socket);
  }
  runtime.close();
}

/**
 * Hands a port-forward through to the runtime. A WebSocket client that carries a SPDY/3.1 connection in its messages (subprotocol
 * `SPDY/3.1+portforward.k8s.io`) is unpacked here; anything else goes through by {@link relayUpgrade}.
 */
export function relayPortForward(options: RelayUpgradeOptions): void {
  const { request, socket, head } = options;
  if (!isWebSocket(request) || !offeredProtocols(request).includes(tunnelProtocol)) {
    relayUpgrade(options);
    return;
  }
  const headers = ['Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'X-Stream-Protocol-Version', portForwardProtocol];
  void dialFor(options, { method: 'POST', headers }, (upgraded) => {
    socket.write(acceptWebSocket(request, tunnelProtocol));
    upgraded.socket.unshift(upgraded.head);
    joinTunnel(createWebSocket({ socket, head, role: 'server' }), upgraded.socket);
  });
}
