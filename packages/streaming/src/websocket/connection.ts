import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { createAnswers } from '../answers.js';
import { createWebSocketSplitter, opcode, webSocketFrame } from './frames.js';

/** A piece of a message: data comes on as it came, however long its message is. */
export interface MessagePiece {
  first: boolean;
  last: boolean;
  data: Buffer;
}

/** An open WebSocket, RFC 6455. */
export interface WebSocketConnection {
  /** What the other side sends, until it closes or is gone; pings are answered on the way. Throws what breaks the connection. */
  messages(): AsyncGenerator<MessagePiece, void, undefined>;
  /** Sends a binary message. `done` is called when it has left, or with what broke the connection. */
  send(data: Uint8Array, done?: (error?: Error | null) => void): void;
  /** Says good-bye with a status code (section 7.4) and ends the connection once what was written is sent. */
  close(code?: number, reason?: string): void;
}

/** Speaks WebSocket on a connection that was upgraded to it. */
export function createWebSocket({
  socket,
  head,
  role,
}: {
  socket: Duplex;
  head?: Uint8Array;
  role: 'client' | 'server';
}): WebSocketConnection {
  const split = createWebSocketSplitter({ masked: role === 'server' });
  const frame = (kind: number, data: Uint8Array) => webSocketFrame(kind, data, role === 'client' ? randomBytes(4) : undefined);
  const close = (code: number, reason: string) => {
    if (!socket.writable) return;
    const body = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason).subarray(0, 123)]);
    socket.end(frame(opcode.close, body));
  };
  const answer = createAnswers(socket);
  socket.on('error', () => {});
  return {
    async *messages() {
      if (head !== undefined && head.length > 0) socket.unshift(head);
      for await (const chunk of socket) {
        for (const piece of split(chunk as Buffer)) {
          if (piece.control === undefined) yield piece;
          else if (piece.control === opcode.ping && socket.writable) await answer(frame(opcode.pong, piece.data));
          else if (piece.control === opcode.close) {
            close(1000, '');
            return;
          }
        }
      }
    },
    send: (data, done) => void socket.write(frame(opcode.binary, data), done),
    close: (code = 1000, reason = '') => close(code, reason),
  };
}
