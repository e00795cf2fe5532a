import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@nodeagent/api';
import { unacceptable } from '../errors.js';
import { upgradeOf } from '../websocket/handshake.js';
import { acceptOverSpdy } from './over-spdy.js';
import { acceptOverWebSocket } from './over-websocket.js';
import type { RemoteCommand, WantedStreams } from './streams.js';

/** A request to upgrade a connection, as the `upgrade` event of Node's HTTP servers hands it over. */
export interface UpgradeRequest {
  request: IncomingMessage;
  socket: Duplex;
  /** What came after the request's head already. */
  head: Buffer;
}

/**
 * Takes an exec or attach: answers the request and gives the streams of the command. It speaks SPDY/3.1 and WebSocket, version 4 of the
 * protocol on both and on the latter version 5, by which kubectl ends standard input.
 *
 * @throws NodeAgentError UpgradeUnacceptable, with the status that the caller has to answer unless the connection is gone
 */
export async function acceptRemoteCommand(
  { request, socket, head }: UpgradeRequest,
  wanted: WantedStreams,
  clock: Clock,
): Promise<RemoteCommand> {
  const upgrade = upgradeOf(request);
  if (upgrade === 'websocket') return acceptOverWebSocket(request, socket, head, wanted);
  if (upgrade === 'spdy/3.1') return acceptOverSpdy(request, socket, head, wanted, clock);
  throw unacceptable(400, `unable to upgrade: "${upgrade}" is neither SPDY/3.1 nor websocket`);
}
