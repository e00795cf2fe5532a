import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/** Joins two connections: forwards data both ways. Each direction ends independently; if one connection fails, the other is destroyed. */
export function joinConnections(one: Duplex, other: Duplex): void {
  sendOn(one, other);
  sendOn(other, one);
}

/** Resets a connection, so that the peer can distinguish it from a regular end where the transport supports that. */
export function resetConnection(socket: Duplex): void {
  if (socket instanceof Socket && !(socket instanceof TLSSocket) && !socket.destroyed) socket.resetAndDestroy();
  else socket.destroy();
}

function sendOn(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.on('error', () => resetConnection(to));
  from.once('close', () => {
    if (from.readableEnded && from.writableFinished) to.end();
    else resetConnection(to);
  });
}
