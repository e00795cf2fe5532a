import type { Socket } from 'node:net';

/** Waits until the socket takes more bytes, at most some time. `hasRoom` is what its `write` returned. */
export function writable(socket: Socket, hasRoom: boolean, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    if (hasRoom) return void setImmediate(resolve);
    const timer = setTimeout(go, milliseconds);
    socket.once('drain', go);
    function go() {
      clearTimeout(timer);
      socket.off('drain', go);
      resolve();
    }
  });
}
