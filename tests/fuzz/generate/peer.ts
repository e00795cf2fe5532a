import { Duplex } from 'node:stream';

/** A connection whose peer sends these chunks one after the other, reads all replies and ends. */
export function peerSending(chunks: readonly Buffer[]): { socket: Duplex; replies(): Buffer } {
  const written: Buffer[] = [];
  const unsent = [...chunks];
  const socket = new Duplex({
    // One byte, so that the stream requests a chunk only after the previous one was read, and never joins two.
    readableHighWaterMark: 1,
    read() {
      setImmediate(() => this.push(unsent.shift() ?? null));
    },
    write(chunk: Buffer, _encoding, done) {
      written.push(Buffer.from(chunk));
      done();
    },
  });
  return { socket, replies: () => Buffer.concat(written) };
}
