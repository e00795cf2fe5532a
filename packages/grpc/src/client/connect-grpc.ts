import type { Socket } from 'node:net';
import { systemClock } from '@nodeagent/api';
import { createSocketChannel } from './channel.js';
import { type CallsOptions, createCalls, type GrpcCalls } from './client.js';

/** Options of {@link connectGrpc}. */
export interface ConnectGrpcOptions extends Partial<CallsOptions> {
  /** An open connection, which the client closes. */
  socket: Socket;
  /** Ends the wait for the server's settings. */
  signal?: AbortSignal;
}

/**
 * Resolves to a client of the server at the other end of an open socket, such as one over TCP, once the server has sent the settings of HTTP/2. The
 * client does not connect again: calls on a lost connection fail with `Unavailable`. Rejects with the socket's error or the signal's reason.
 */
export async function connectGrpc(options: ConnectGrpcOptions): Promise<GrpcCalls> {
  const { socket, signal, authority = 'localhost', clock = systemClock, ...rest } = options;
  const channel = await createSocketChannel(socket, signal);
  const { isClosed: _isClosed, ...calls } = createCalls(channel, { ...rest, authority, clock });
  return calls;
}
