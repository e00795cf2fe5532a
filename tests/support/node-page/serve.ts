import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** Serves on a free port of this machine. Default of `upgrade`: upgrades are refused. */
export async function serve(
  handle: RequestListener,
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): Promise<{ origin: string; close(): void }> {
  const server = createServer(handle);
  const upgraded = new Set<Duplex>();
  if (upgrade !== undefined) {
    server.on('upgrade', (request, socket, head) => {
      upgraded.add(socket.on('error', () => {}));
      upgrade(request, socket, head);
    });
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      server.close();
    },
  };
}
