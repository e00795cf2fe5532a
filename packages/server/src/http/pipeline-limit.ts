import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests of a connection that may wait for their responses. Clients of a kubelet send the next one after the response. */
const maxUnanswered = 16;

/**
 * Whether a request is served. A connection with more unanswered requests is closed: Node parses all that arrive together, some ten thousands in one
 * turn of the event loop, where Go reads the next one after a response.
 */
export function createPipelineLimit(): (request: IncomingMessage, response: ServerResponse) => boolean {
  const unanswered = new WeakMap<Socket, number>();
  return ({ socket }, response) => {
    // The rest of what was parsed together.
    if (socket.destroyed) return false;
    const count = (unanswered.get(socket) ?? 0) + 1;
    if (count > maxUnanswered) {
      socket.destroy();
      return false;
    }
    unanswered.set(socket, count);
    response.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 0) - 1));
    return true;
  };
}
