import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { UpgradeRequest } from './remote-command/accept.js';
import { dialUpgrade } from './upgrade/dial-upgrade.js';

/** A server on the loopback interface that hands each upgraded connection to a test. */
export interface TestServer {
  url: URL;
  close(): void;
}

export async function serveUpgrades(onUpgrade: (client: UpgradeRequest) => void): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(404).end('nothing here'));
  server.on('connection', (socket) => sockets.add(socket));
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => onUpgrade({ request, socket, head }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** A connection that was upgraded with these headers. */
export async function upgraded(target: URL, headers: readonly string[]) {
  const answered = await dialUpgrade({ target, method: 'POST', headers });
  if (answered.socket === undefined) throw new Error(`status ${answered.answer.statusCode}`);
  return answered;
}

export const webSocketHeaders = (...protocols: string[]) => [
  ...['Connection', 'Upgrade', 'Upgrade', 'websocket', 'Sec-WebSocket-Version', '13', 'Sec-WebSocket-Key', 'AAAAAAAAAAAAAAAAAAAAAA=='],
  ...['Sec-WebSocket-Protocol', protocols.join(', ')],
];

export const spdyHeaders = (protocol: string) => [
  ...['Connection', 'Upgrade', 'Upgrade', 'SPDY/3.1', 'X-Stream-Protocol-Version', protocol],
];
