import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '@nodeagent/api';
import { acceptPortForward, type UpgradeRequest } from '@nodeagent/streaming';

/** Forwards connections to ports of the machine, which all pods share. */
export async function servePortForward(client: UpgradeRequest, clock: Clock): Promise<void> {
  acceptPortForward(client, { clock, connect: connectLocally });
}

/** Connects to a port of `localhost`, over IPv4 or IPv6. */
export async function connectLocally(port: number): Promise<Duplex> {
  const socket = connect({ host: 'localhost', port, allowHalfOpen: true, autoSelectFamily: true });
  await once(socket, 'connect');
  return socket;
}
