import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@nodeagent/api';
import { unacceptable } from '../errors.js';
import { upgradeOf } from '../websocket/handshake.js';
import { acceptOverSpdy } from './over-spdy.js';
import { acceptOverWebSocket } from './over-websocket.js';
import type { RemoteCommand, RemoteCommandStreams } from './streams.js';

/** An upgrade request, as in the `upgrade` event of Node's HTTP servers. */
export interface UpgradeRequest {
  request: IncomingMessage;
  socket: Duplex;
  /** Bytes already received after the request's head. */
  head: Buffer;
}

/**
 * Accepts an exec or attach: responds to the request and returns the streams of the command. Supports version 4 of the protocol over
 * SPDY/3.1 and WebSocket, and version 5 over WebSocket, with which kubectl can close standard input.
 *
 * @throws NodeAgentError UpgradeUnacceptable, with the status that the caller must respond with unless the connection was lost
 */
export async function acceptRemoteCommand(
  { request, socket, head }: UpgradeRequest,
  requested: RemoteCommandStreams,
  clock: Clock,
): Promise<RemoteCommand> {
  const upgrade = upgradeOf(request);
  if (upgrade === 'websocket') return acceptOverWebSocket(request, socket, head, requested);
  if (upgrade === 'spdy/3.1') return acceptOverSpdy(request, socket, head, requested, clock);
  throw unacceptable(400, `unable to upgrade: "${upgrade}" is neither SPDY/3.1 nor websocket`);
}
