import type { Duplex } from 'node:stream';
import { type Clock, errorMessage } from '@nodeagent/api';
import { unacceptable } from './errors.js';
import type { UpgradeRequest } from './remote-command/accept.js';
import { acceptSpdy, offersSpdyProtocol } from './remote-command/over-spdy.js';
import { createSpdySession } from './spdy/session.js';
import type { SpdyStream } from './spdy/stream.js';
import { upgradeOf } from './websocket/handshake.js';

/** The protocol of port-forward over SPDY/3.1. */
export const portForwardProtocol = 'portforward.k8s.io';

/** Timeout for the second stream of a connection, in milliseconds after the first. */
const pairTimeoutMs = 30_000;

/** Ports of {@link acceptPortForward}. */
export interface PortForwardPorts {
  /** Connects to a port of the pod. The client receives the message of a rejection. */
  connect(port: number): Promise<Duplex>;
  clock: Clock;
}

/**
 * Serves a port-forward over SPDY/3.1: each connection of the client is a pair of streams with the same `requestID`, one for its data and
 * one for an error message. Runs until the client closes the connection.
 *
 * @throws NodeAgentError UpgradeUnacceptable
 */
export function acceptPortForward({ request, socket, head }: UpgradeRequest, { connect, clock }: PortForwardPorts): void {
  if (upgradeOf(request) !== 'spdy/3.1' || !offersSpdyProtocol(request, portForwardProtocol)) {
    throw unacceptable(403, `unable to upgrade: port-forward requires SPDY/3.1 with the protocol ${portForwardProtocol}`);
  }
  socket.write(acceptSpdy(portForwardProtocol));
  const waiting = new Map<string, { stream: SpdyStream; timeout: { cancel(): void } }>();
  const session = createSpdySession({
    socket,
    head,
    role: 'server',
    onStream(stream) {
      const { requestid = '', streamtype = '' } = stream.headers;
      if (streamtype !== 'data' && streamtype !== 'error') {
        stream.destroy();
        return;
      }
      const other = waiting.get(requestid);
      if (other === undefined) {
        const timeout = clock.setTimeout(() => {
          waiting.delete(requestid);
          stream.destroy();
        }, pairTimeoutMs);
        waiting.set(requestid, { stream, timeout });
        return;
      }
      other.timeout.cancel();
      waiting.delete(requestid);
      const [data, error] = streamtype === 'data' ? [stream, other.stream] : [other.stream, stream];
      void forward(data, error, connect);
    },
  });
  void session.closed.then(() => {
    for (const { timeout } of waiting.values()) timeout.cancel();
  });
}

async function forward(data: SpdyStream, error: SpdyStream, connect: PortForwardPorts['connect']): Promise<void> {
  error.resume();
  const port = Number(data.headers.port);
  try {
    if (!Number.isInteger(port) || port < 1 || port > 0xffff) throw new Error(`"${data.headers.port ?? ''}" is not a port`);
    const socket = await connect(port);
    if (data.destroyed) {
      socket.destroy();
      return;
    }
    socket.once('error', (reason) => {
      if (!error.writableEnded) error.end(`error forwarding port ${port}: ${errorMessage(reason)}`);
      data.destroy();
    });
    socket.once('close', () => {
      error.end();
      data.end();
    });
    data.once('close', () => {
      if (!socket.writableFinished || !socket.readableEnded) socket.destroy();
    });
    data.pipe(socket).pipe(data);
  } catch (reason) {
    error.end(`error forwarding port ${port}: ${errorMessage(reason)}`);
    data.resume();
    data.end();
  }
}
