import { connect, Socket } from 'node:net';
import { socketPathProblem } from '@nodeagent/api/helpers';

/** Opens the socket of a session, which passes each received piece to `receive`. Its bytes are valid only during the call. */
export type OpenSocket = (receive: (bytes: Buffer) => void) => Socket;

const readBufferBytes = 65_536;

/** Connects to a Unix socket, with one read buffer for the whole connection. */
export const unixSocket =
  (path: string): OpenSocket =>
  (receive) => {
    const problem = socketPathProblem(path);
    if (problem !== undefined) return new Socket().destroy(new Error(`connect ${path}: ${problem}`));
    return connect({
      path,
      onread: {
        buffer: Buffer.allocUnsafe(readBufferBytes),
        callback(length, buffer) {
          receive(Buffer.from(buffer.buffer, buffer.byteOffset, length));
          return true;
        },
      },
    });
  };

/** A socket that the caller has opened. */
export const openedSocket =
  (socket: Socket): OpenSocket =>
  (receive) =>
    socket.on('data', receive);
