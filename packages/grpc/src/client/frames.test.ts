import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConnectionError, createFrameReader, createFrameWriter, frameFlags, http2Errors, withoutPadding } from './frames.js';

/** The frames as one buffer. */
function encode(...written: [type: number, flags: number, id: number, payload: Buffer][]): Buffer {
  const sent: Buffer[] = [];
  const writer = createFrameWriter((bytes) => sent.push(bytes));
  for (const frame of written) writer.write(...frame);
  writer.flush();
  return Buffer.concat(sent);
}

describe('frames', () => {
  it('are read as they were written, in pieces of any size', () => {
    const frame = fc.record({
      type: fc.nat(9),
      flags: fc.nat(255),
      id: fc.nat(2 ** 31 - 1),
      payload: fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
    });
    fc.assert(
      fc.property(fc.array(frame), fc.integer({ min: 1, max: 20 }), (frames, pieceBytes) => {
        const read: unknown[] = [];
        const push = createFrameReader((type, flags, id, payload) => read.push({ type, flags, id, payload: Buffer.from(payload) }));
        const bytes = encode(
          ...frames.map(({ type, flags, id, payload }) => [type, flags, id, payload] as [number, number, number, Buffer]),
        );
        // One buffer for all pieces, as a socket does it.
        const buffer = Buffer.alloc(pieceBytes);
        for (let at = 0; at < bytes.length; at += pieceBytes) push(buffer.subarray(0, bytes.copy(buffer, 0, at)));
        expect(read).toEqual(frames);
      }),
    );
  });

  it('of more than 16 KiB are an error of the connection', () => {
    const read = createFrameReader(() => {});
    const header = Buffer.from([0, 0x40, 0, 0, 0, 0, 0, 0, 1]);
    read(Buffer.concat([header, Buffer.alloc(16_384)]));
    header[2] = 1;
    expect(() => read(header)).toThrow(new ConnectionError(http2Errors.frameSizeError, 'frame of 16385 bytes'));
  });

  it('of one turn of the event loop are sent together', async () => {
    const sent: Buffer[] = [];
    const writer = createFrameWriter((bytes) => sent.push(bytes));
    const payload = Buffer.from('payload');
    writer.write(0, 0, 1, payload);
    writer.write(0, 0, 3, payload);
    expect(sent).toEqual([]);
    await new Promise((resolve) => setImmediate(resolve));
    writer.write(0, 0, 5, payload);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent.map(({ length }) => length)).toEqual([32, 16]);
  });

  it('that acknowledge are sent with the request of the same turn, else at its end', async () => {
    const sent: Buffer[] = [];
    const writer = createFrameWriter((bytes) => sent.push(bytes));
    const payload = Buffer.from('payload');
    writer.writeLater(6, frameFlags.ack, 0, payload);
    await Promise.resolve();
    writer.write(0, 0, 1, payload);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent.map(({ length }) => length)).toEqual([32]);
    writer.writeLater(6, frameFlags.ack, 0, payload);
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent.map(({ length }) => length)).toEqual([32, 16]);
  });

  it('keep their content when many of them exceed the buffer of the writer', () => {
    const large = Buffer.alloc(9000, 'a');
    const small = Buffer.from('b');
    const once = encode([0, 0, 1, small], [0, 0, 1, large], [0, 0, 1, small]);
    expect(once).toHaveLength(3 * 9 + 9002);
    expect(once.subarray(19, 9019).equals(large)).toBe(true);
    const sent: Buffer[] = [];
    const writer = createFrameWriter((bytes) => sent.push(bytes));
    for (const payload of [large, small, large]) {
      writer.write(0, 0, 1, payload);
      writer.flush();
    }
    expect(sent.map((bytes) => bytes.subarray(9))).toEqual([large, small, large]);
  });
});

describe('withoutPadding', () => {
  const payload = Buffer.from([2, 10, 11, 12, 13, 14, 15, 0, 0]);

  it('removes padding and priority', () => {
    expect([...withoutPadding(0, payload)]).toEqual([...payload]);
    expect([...withoutPadding(frameFlags.padded, payload)]).toEqual([10, 11, 12, 13, 14, 15]);
    expect([...withoutPadding(frameFlags.priority, payload)]).toEqual([14, 15, 0, 0]);
    expect([...withoutPadding(frameFlags.padded | frameFlags.priority, payload)]).toEqual([15]);
  });

  it('rejects padding that exceeds the frame', () => {
    expect(() => withoutPadding(frameFlags.padded, Buffer.from([9, 1]))).toThrow('padding exceeds its frame');
    expect(() => withoutPadding(frameFlags.padded, Buffer.alloc(0))).toThrow('padding exceeds its frame');
    expect(() => withoutPadding(frameFlags.priority, Buffer.alloc(4))).toThrow('padding exceeds its frame');
  });
});
