import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { InProcessServer, Transport } from '@nodeagent/kube-client';
import { createNodeTransport } from '@nodeagent/kube-client/node';
import { answerCall } from './answer-call.js';
import type { Deliveries } from './deliveries.js';
import { createHttpTransit } from './http-transit.js';
import { callHeader, createTcpTransport, type OpenCall } from './tcp-transport.js';

/** A TCP port of API servers in this process, with kube-client's HTTP transport to it. */
export interface ApiSocket {
  /** Creates a transport to the server. */
  transport(server: InProcessServer): Transport;
  /** Resolves to the number of open connections. */
  connections(): Promise<number>;
  /** Closes the port, and the connections. */
  close(): Promise<void>;
}

/** No timeouts in real time. */
const untimed = { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0 };

/** Listens on a free port of the loopback device. */
export async function createApiSocket(deliveries: Deliveries): Promise<ApiSocket> {
  const transit = createHttpTransit(deliveries);
  const calls = new Map<string, OpenCall>();
  const port = createServer(untimed, (incoming, outgoing) => {
    const open = calls.get(String(incoming.headers[callHeader]));
    if (open) void answerCall(open, incoming, outgoing);
    else outgoing.destroy();
  });
  await new Promise<void>((resolve) => port.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(port.address() as AddressInfo).port}`;
  return {
    transport: (server) => createTcpTransport({ inner: createNodeTransport({ server: url }), server, transit, calls }),
    connections: () => new Promise((resolve, reject) => port.getConnections((error, count) => (error ? reject(error) : resolve(count)))),
    close() {
      transit.stop();
      return new Promise((resolve) => {
        port.close(() => resolve());
        port.closeAllConnections();
      });
    },
  };
}
