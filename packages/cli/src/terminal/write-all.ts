import type { OutputStream } from '../console.js';

/** Writes all chunks, waiting for `drain`. */
export async function writeAll(pieces: AsyncIterable<Uint8Array>, to: OutputStream): Promise<void> {
  for await (const piece of pieces) if (to.write(piece) === false) await room(to);
}

function room(stream: OutputStream): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done);
      stream.off('error', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('error', done);
  });
}
