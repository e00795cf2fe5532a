import type { Writable } from 'node:stream';

/** Most answers that wait for the other side to read them; as long as there are more, nothing else of it is read. */
const mostUnsent = 100;

/**
 * Writes answers that the other side makes us give, such as those to its pings, and resolves when more of them may come: who asks and does
 * not read gets no memory for it.
 */
export function createAnswers(socket: Writable): (frame: Uint8Array) => Promise<void> {
  let unsent = 0;
  return (frame) =>
    new Promise((resolve) => {
      unsent++;
      socket.write(frame, () => {
        unsent--;
        resolve();
      });
      if (unsent < mostUnsent) resolve();
    });
}
