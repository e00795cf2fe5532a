import { constants, createDeflate } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { spdyDictionary } from './dictionary.js';
import { createHeaderDecoder, createHeaderEncoder } from './header-block.js';

/** What a peer sends that compresses, one block a text. */
async function compressed(...plain: Buffer[]): Promise<Buffer[]> {
  const deflate = createDeflate({ dictionary: spdyDictionary() });
  const blocks: Buffer[] = [];
  for (const each of plain) {
    const pieces: Buffer[] = [];
    const take = (piece: Buffer) => void pieces.push(piece);
    deflate.on('data', take);
    deflate.write(each);
    await new Promise<void>((resolve) => deflate.flush(constants.Z_SYNC_FLUSH, resolve));
    deflate.off('data', take);
    blocks.push(Buffer.concat(pieces));
  }
  deflate.destroy();
  return blocks;
}

const plain = (name: string, value: string) => {
  const number = (value: number) => Buffer.from([0, 0, 0, value]);
  return Buffer.concat([number(1), number(name.length), Buffer.from(name), number(value.length), Buffer.from(value)]);
};

describe('header blocks', () => {
  it('have the dictionary of SPDY/3', async () => {
    const [first] = await compressed(plain('version', 'HTTP/1.1'));
    expect(spdyDictionary()).toHaveLength(1423);
    // zlib names a dictionary by its Adler-32 checksum.
    expect(first?.readUInt32BE(2).toString(16)).toBe('e3c6a7c2');
  });

  it('of a peer that compresses are decoded in sequence', async () => {
    const blocks = await compressed(plain('streamtype', 'error'), plain('streamtype', 'stdin'), plain('port', '8080'));
    const decoder = createHeaderDecoder();
    const read = [];
    for (const block of blocks) read.push(await decoder.decode(block));
    expect(read).toEqual([{ streamtype: 'error' }, { streamtype: 'stdin' }, { port: '8080' }]);
    decoder.close();
  });

  it('of any length are encoded and decoded', async () => {
    const encode = createHeaderEncoder();
    const decoder = createHeaderDecoder();
    const long = { 'Stream-Type': 'error', value: 'ä'.repeat(30_000) };
    const empty = encode({});
    // Readers that unpack as they go need the end of a flush after each block.
    expect(empty.subarray(-5).toString('hex')).toBe('000000ffff');
    expect(await decoder.decode(empty)).toEqual({});
    expect(await decoder.decode(encode(long))).toEqual({ 'stream-type': 'error', value: long.value });
    expect(await decoder.decode(encode({ a: 'b' }))).toEqual({ a: 'b' });
    decoder.close();
  });

  it('that are invalid, truncated or a zip bomb end the connection', async () => {
    await expect(createHeaderDecoder().decode(Buffer.from('not zlib'))).rejects.toMatchObject({ code: 'StreamProtocolError' });
    const [cut] = await compressed(plain('a', 'b').subarray(0, 9));
    await expect(createHeaderDecoder().decode(cut as Buffer)).rejects.toThrow('ends too early');
    const [bomb] = await compressed(Buffer.alloc(10_000_000));
    await expect(createHeaderDecoder().decode(bomb as Buffer)).rejects.toThrow('too long');
  });
});
