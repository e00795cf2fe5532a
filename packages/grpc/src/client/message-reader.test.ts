import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeMessage, MessageReader } from './message-reader.js';

function createReader(maxBytes = 1000) {
  const events: unknown[] = [];
  const reader = new MessageReader(maxBytes, {
    message: (bytes) => {
      events.push(bytes.toString());
      return bytes.toString() !== 'last';
    },
    tooLarge: (bytes) => events.push({ tooLarge: bytes }),
    compressed: () => events.push('compressed'),
  });
  return { reader, events };
}

const encode = (...messages: string[]) => Buffer.concat(messages.map((message) => encodeMessage(Buffer.from(message))));

describe('MessageReader', () => {
  it('reads messages in pieces of any size', () => {
    const messages = fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 30 }).filter((text) => text !== 'last'));
    fc.assert(
      fc.property(messages, fc.integer({ min: 1, max: 40 }), (sent, pieceBytes) => {
        const { reader, events } = createReader();
        const bytes = encode(...sent);
        const buffer = Buffer.alloc(pieceBytes);
        for (let at = 0; at < bytes.length; at += pieceBytes) reader.push(buffer.subarray(0, bytes.copy(buffer, 0, at)));
        expect(events).toEqual(sent);
      }),
    );
  });

  it('accepts messages up to the limit', () => {
    for (const pieceBytes of [1, 3, 100]) {
      const { reader, events } = createReader(8);
      const bytes = encode('12345678', '123456789');
      for (let at = 0; at < bytes.length && events.length < 2; at += pieceBytes) reader.push(bytes.subarray(at, at + pieceBytes));
      expect(events).toEqual(['12345678', { tooLarge: 9 }]);
    }
  });

  it('does not accept compressed messages', () => {
    for (const pieceBytes of [1, 100]) {
      const { reader, events } = createReader();
      const bytes = encode('a');
      bytes[0] = 1;
      for (let at = 0; at < bytes.length && events.length === 0; at += pieceBytes) reader.push(bytes.subarray(at, at + pieceBytes));
      expect(events).toEqual(['compressed']);
    }
  });

  it('stops when the receiver does not read on', () => {
    const { reader, events } = createReader();
    reader.push(encode('a', 'last', 'b'));
    expect(events).toEqual(['a', 'last']);
  });
});
