import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { createReplyWriter } from '../reply-writer.js';
import { createWebSocketSplitter, opcode, webSocketFrame } from './frames.js';

/** A chunk of a message: data is passed on before the message is complete. */
export interface MessagePiece {
  first: boolean;
  last: boolean;
  data: Buffer;
}

/** An open WebSocket, RFC 6455. */
export interface WebSocketConnection {
  /** The peer's messages, until it closes or disconnects; replies to pings. Throws the error of a failed connection. */
  messages(): AsyncGenerator<MessagePiece, void, undefined>;
  /** Sends a binary message. `done` is called when it is sent, or with the connection's error. */
  send(data: Uint8Array, done?: (error?: Error | null) => void): void;
  /** Sends a close frame with a status code (section 7.4), and closes the connection when all data is sent. */
  close(code?: number, reason?: string): void;
}

/** Creates a WebSocket on an upgraded connection. */
export function createWebSocket(options: { socket: Duplex; head?: Uint8Array; role: 'client' | 'server' }): WebSocketConnection {
  const { socket, head, role } = options;
  const split = createWebSocketSplitter({ masked: role === 'server' });
  const frame = (kind: number, data: Uint8Array) => webSocketFrame(kind, data, role === 'client' ? randomBytes(4) : undefined);
  const close = (code: number, reason: string) => {
    if (!socket.writable) return;
    const body = Buffer.concat([Buffer.from([code >> 8, code & 0xff]), Buffer.from(reason).subarray(0, 123)]);
    socket.end(frame(opcode.close, body));
  };
  const answer = createReplyWriter(socket);
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
