import { Readable, type Writable } from 'node:stream';

/** A readable stream that is filled by `push`, with back-pressure. */
export interface PushStream {
  readable: Readable;
  /** Resolves when there is room for more. Data after the end, or after the reader has closed the stream, is dropped. */
  push(data: Uint8Array): Promise<void>;
  end(): void;
}

/** Creates a {@link PushStream}. */
export function createPushStream(): PushStream {
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

/** Ends a stream; resolves when all its data is written or it is destroyed. */
export function endAndFlush(stream: Writable | undefined): Promise<void> {
  if (stream === undefined || stream.writableFinished || stream.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('finish', resolve);
    stream.once('close', resolve);
    if (!stream.writableEnded) stream.end();
  });
}
