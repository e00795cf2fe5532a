import { Readable, type Writable } from 'node:stream';

/** A readable stream that somebody else fills, as fast as it is read. */
export interface Pushed {
  readable: Readable;
  /** Resolves when there is room for more. What comes after the end, or for a reader that has gone, is dropped. */
  push(data: Uint8Array): Promise<void>;
  end(): void;
}

/** Makes a {@link Pushed}. */
export function createPushed(): Pushed {
  let onRoom = () => {};
  let ended = false;
  const readable = new Readable({
    read: () => onRoom(),
    destroy(error, done) {
      onRoom();
      done(error);
    },
  });
  return {
    readable,
    async push(data) {
      if (ended || readable.destroyed || data.length === 0 || readable.push(data)) return;
      await new Promise<void>((resolve) => {
        onRoom = resolve;
      });
    },
    end() {
      if (!ended && !readable.destroyed) readable.push(null);
      ended = true;
    },
  };
}

/** Ends a stream, and resolves when what was written to it has left or it is broken. */
export function flushed(stream: Writable | undefined): Promise<void> {
  if (stream === undefined || stream.writableFinished || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('finish', resolve);
    stream.once('close', resolve);
    if (!stream.writableEnded) stream.end();
  });
}
