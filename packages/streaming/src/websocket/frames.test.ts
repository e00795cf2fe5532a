import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createWebSocketSplitter, opcode, type WebSocketPiece, webSocketFrame } from './frames.js';

/** The messages that pieces make up, and the control frames between them. */
function messagesOf(pieces: readonly WebSocketPiece[]): (string | number)[] {
  const found: (string | number)[] = [];
  let message = '';
  for (const piece of pieces) {
    if (piece.control !== undefined) found.push(piece.control);
    else {
      message = (piece.first ? '' : message) + piece.data.toString('latin1');
      if (piece.last) found.push(message);
    }
  }
  return found;
}

describe('WebSocket frames', () => {
  it.each([0, 1, 125, 126, 0xffff, 0x10000, 200_000])('of %i bytes come apart as they were put together, masked and not', (length) => {
    const data = randomBytes(length);
    for (const mask of [undefined, randomBytes(4)]) {
      const split = createWebSocketSplitter({ masked: mask !== undefined });
      const pieces = [...split(webSocketFrame(opcode.binary, data, mask))];
      expect(messagesOf(pieces)).toEqual([data.toString('latin1')]);
    }
  });

  it('are parsed from chunks of any size, fragmented, with control frames between the fragments', () => {
    const mask = randomBytes(4);
    const part = (kind: number, text: string, fin: boolean) => {
      const frame = webSocketFrame(kind, Buffer.from(text), mask);
      if (!fin) frame[0] = (frame[0] as number) & 0x7f;
      return frame;
    };
    const bytes = Buffer.concat([
      part(opcode.binary, 'one', true),
      part(opcode.binary, 't', false),
      part(opcode.ping, 'are you there', true),
      part(opcode.continuation, 'w', false),
      part(opcode.continuation, '', true),
      part(opcode.text, '', true),
      part(opcode.close, '', true),
    ]);
    for (let size = 1; size <= bytes.length; size++) {
      const split = createWebSocketSplitter({ masked: true });
      const pieces = [];
      for (let at = 0; at < bytes.length; at += size) pieces.push(...split(Buffer.from(bytes.subarray(at, at + size))));
      expect(messagesOf(pieces)).toEqual(['one', opcode.ping, 'tw', '', opcode.close]);
    }
  });

  it('before an invalid one in the same chunk are passed on', () => {
    const mask = Buffer.alloc(4);
    const frames = [webSocketFrame(opcode.ping, Buffer.alloc(0), mask), webSocketFrame(opcode.binary, Buffer.from('x'), mask)];
    const pieces = createWebSocketSplitter({ masked: true })(Buffer.concat([...frames, webSocketFrame(5, Buffer.alloc(0), mask)]));
    expect(messagesOf([pieces.next().value, pieces.next().value].filter((piece) => piece !== undefined))).toEqual([opcode.ping, 'x']);
    expect(() => pieces.next()).toThrow('unexpected opcode 5');
  });

  it.each([
    ['without a mask', webSocketFrame(opcode.binary, Buffer.from('x'))],
    ['with reserved bits', Buffer.from([0xc2, 0x80, 0, 0, 0, 0])],
    ['of a control frame that is too long', webSocketFrame(opcode.ping, Buffer.alloc(126), Buffer.alloc(4))],
    ['of a control frame in parts', Buffer.from([0x09, 0x80, 0, 0, 0, 0])],
    ['that continue nothing', webSocketFrame(opcode.continuation, Buffer.from('x'), Buffer.alloc(4))],
    ['of an unknown kind', webSocketFrame(5, Buffer.from('x'), Buffer.alloc(4))],
    ['longer than can be', Buffer.from([0x82, 0xff, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
  ])('%s break the connection', (_what, bytes) => {
    expect(() => [...createWebSocketSplitter({ masked: true })(bytes)]).toThrow(expect.objectContaining({ code: 'StreamProtocolError' }));
  });
});
