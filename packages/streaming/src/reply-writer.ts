import type { Writable } from 'node:stream';

/** Maximum number of unsent replies. Above it nothing more is read from the peer. */
const maxUnsent = 100;

/**
 * Writes replies that the peer triggers, such as those to pings, and resolves when more may be sent: a peer that pings but does not read
 * cannot exhaust memory.
 */
export function createReplyWriter(socket: Writable): (frame: Uint8Array) => Promise<void> {
  let unsent = 0;
  return (frame) =>
    new Promise((resolve) => {
      unsent++;
      socket.write(frame, () => {
        unsent--;
        resolve();
      });
      if (unsent < maxUnsent) resolve();
    });
}
