import { Duplex } from 'node:stream';

/** A connection whose peer sends these chunks, reads all replies and ends. */
export function peerSending(chunks: readonly Buffer[]): { socket: Duplex; replies(): Buffer } {
  const written: Buffer[] = [];
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      written.push(Buffer.from(chunk));
      done();
    },
  });
  for (const chunk of chunks) socket.push(chunk);
  socket.push(null);
  return { socket, replies: () => Buffer.concat(written) };
}
