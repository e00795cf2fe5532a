import { createServer } from 'node:http2';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { tempSocket } from '../../test/greeter.js';
import { createHeaderDecoder, decodeHeaders, encodeHeaders } from './hpack.js';
import { decodeHuffman } from './huffman.js';
import { openSession } from './session.js';
import { unixSocket } from './sockets.js';

const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const headers = (hex: string) => Object.fromEntries(decodeHeaders(bytes(hex)));

describe('decodeHuffman', () => {
  it.each([
    ['f1e3 c2e5 f23a 6ba0 ab90 f4ff', 'www.example.com'],
    ['a8eb 1064 9cbf', 'no-cache'],
    ['25a8 49e9 5bb8 e8b4 bf', 'custom-value'],
    ['d07a be94 1054 d444 a820 0595 040b 8166 e082 a62d 1bff', 'Mon, 21 Oct 2013 20:13:21 GMT'],
    ['', ''],
  ])('decodes the example %s of RFC 7541', (hex, text) => {
    expect(decodeHuffman(bytes(hex)).toString('latin1')).toBe(text);
  });

  it.each([
    ['the end-of-string symbol', 'ffff ffff'],
    ['padding of more than seven bits', '1fff'],
    ['padding with zeros', '18'],
    ['an incomplete code', 'fffe'],
  ])('rejects %s', (_, hex) => {
    expect(() => decodeHuffman(bytes(hex))).toThrow(/Huffman/);
  });
});

describe('decodeHeaders', () => {
  it('decodes the responses of RFC 7541, with and without Huffman codes', () => {
    const expected = {
      ':status': '302',
      'cache-control': 'private',
      date: 'Mon, 21 Oct 2013 20:13:21 GMT',
      location: 'https://www.example.com',
    };
    const plain = `4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133
      2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d`.replaceAll(/\s/g, '');
    const huffman = `4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6
      2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3`.replaceAll(/\s/g, '');
    expect(headers(plain)).toEqual(expected);
    expect(headers(huffman)).toEqual(expected);
  });

  it('decodes indexed headers, all kinds of literals and a table size of 0', () => {
    expect(headers('20 88')).toEqual({ ':status': '200' });
    expect(headers('90')).toEqual({ 'accept-encoding': 'gzip, deflate' });
    for (const first of ['00', '10', '40']) expect(headers(`${first} 01 61 01 62`)).toEqual({ a: 'b' });
    // Index 31, content-type, does not fit into the four bits of a literal that is not indexed.
    expect(headers('0f 10 01 78')).toEqual({ 'content-type': 'x' });
  });

  it('decodes what a server of node:http2 sends, of every character that a header may contain', async () => {
    const socket = tempSocket();
    const sent: Record<string, string> = {};
    for (let code = 0x20; code < 0x100; code++) {
      // Repeated short codes make the server choose Huffman coding also for characters with long ones.
      if (code !== 0x7f && code !== 0x20 && !(code > 0x7f && code < 0xa0))
        sent[`x-${code}`] = `${'a'.repeat(40)}${String.fromCharCode(code)}a`;
    }
    const server = createServer((_, response) => response.writeHead(200, sent).end());
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    onTestFinished(() => void server.close());
    expect(Object.keys(sent).length).toBeGreaterThan(180);
    expect(await responseOf(socket)).toMatchObject({ ':status': '200', ...sent });
  });

  it('rejects a dynamic table, unknown entries and incomplete blocks', () => {
    expect(() => headers('3f e1 1f')).toThrow('dynamic header table in use');
    expect(() => headers('be')).toThrow('no entry 62 in the header table');
    expect(() => headers('80')).toThrow('no entry 0 in the header table');
    expect(() => headers('00 01')).toThrow('incomplete header block');
    expect(() => headers('00 7f 80 80')).toThrow('incomplete header block');
    expect(() => headers('00 7f 80 80 80 80 80 01')).toThrow('integer too large');
  });

  it('returns or throws for any block', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (block) => {
        try {
          return decodeHeaders(block) instanceof Map;
        } catch (error) {
          return error instanceof Error;
        }
      }),
    );
  });
});

describe('encodeHeaders', () => {
  it('encodes what decodeHeaders decodes', () => {
    const text = fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)), maxLength: 400 });
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name }), (pairs) => {
        expect([...decodeHeaders(encodeHeaders(pairs))]).toEqual(pairs);
      }),
    );
  });
});

describe('createHeaderDecoder', () => {
  it('returns the headers of the given block, whether or not it was the last one', () => {
    const decode = createHeaderDecoder();
    const block = Buffer.from(encodeHeaders([['grpc-status', '0']]));
    const first = decode(block);
    expect(decode(Buffer.from(block))).toBe(first);
    block.write('5', block.length - 1);
    expect(decode(block).get('grpc-status')).toBe('5');
    expect(first.get('grpc-status')).toBe('0');
  });
});

/** The first headers that the server sends for a request. */
function responseOf(socketPath: string): Promise<object> {
  return new Promise((resolve, reject) => {
    const session = openSession({ open: unixSocket(socketPath), onReady() {}, onClose: reject });
    onTestFinished(() => session.destroy(new Error('the test is over')));
    const request = { ':method': 'POST', ':scheme': 'http', ':path': '/', ':authority': 'localhost' };
    session.open(encodeHeaders(Object.entries(request)), Buffer.from('x'), {
      headers: (received) => resolve(Object.fromEntries(received)),
      data() {},
      end() {},
    });
  });
}
