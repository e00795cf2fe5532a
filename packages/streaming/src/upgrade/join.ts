import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/** Joins two connections: what one gives goes to the other, each direction ends by itself, and a break of one breaks the other. */
export function joinConnections(one: Duplex, other: Duplex): void {
  sendOn(one, other);
  sendOn(other, one);
}

/** Ends a connection so that the other side can tell it from a regular end, where the transport can say so. */
export function breakOff(socket: Duplex): void {
  if (socket instanceof Socket && !(socket instanceof TLSSocket) && !socket.destroyed) socket.resetAndDestroy();
  else socket.destroy();
}

function sendOn(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.on('error', () => breakOff(to));
  from.once('close', () => {
    if (from.readableEnded && from.writableFinished) to.end();
    else breakOff(to);
  });
}
