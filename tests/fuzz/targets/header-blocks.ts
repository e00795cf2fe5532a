import fc from 'fast-check';
import { createHeaderDecoder, decodeHeaders, encodeHeaders, type Headers } from '../../../packages/grpc/src/client/hpack.js';
import { base64Field, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { promise, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

/** Header fields in each form of HPACK (RFC 7541, section 6 and appendix C). */
const fields = [
  '88',
  '8f',
  'bd',
  '00046e616d650576616c7565',
  '400a637573746f6d2d6b65790d637573746f6d2d686561646572',
  '040c2f73616d706c652f70617468',
  '100870617373776f726406736563726574',
  '418cf1e3c2e5f23a6ba0ab90f4ff',
  '408825a849e95ba97d7f8925a849e95bb8e8b4bf',
  '4882640258' + '85aec3771a4b',
  '20',
  '3fe11f',
  '7f8001',
].map((hex) => Buffer.from(hex, 'hex'));
const block = fc.array(fc.constantFrom(...fields), { maxLength: 6 }).map((parts) => Buffer.concat(parts));

export const headerBlocks = fuzzTarget({
  name: 'header-blocks',
  promise: 'a header block gives headers that are written and read as the same, hardly longer than the block, or an error with a message',
  runs: 3_000,
  inputs: fc.record({ block: fc.oneof(block, mutatedBytes(block), fc.uint8Array({ maxLength: 30 })).map(toBase64) }),
  content: base64Field('block'),
  check(input) {
    const bytes = Buffer.from(input.block, 'base64');
    const headers = decode(decodeHeaders, bytes);
    const remembering = createHeaderDecoder();
    promiseSame(decode(remembering, bytes), headers, 'the headers of a decoder that remembers');
    promiseSame(decode(remembering, bytes), headers, 'the headers of a block that is repeated');
    if (headers === undefined) return;
    promiseSame(decodeHeaders(encodeHeaders(headers)), headers, 'the headers written again');
    // The shortest Huffman code has five bits; one byte can name the longest entry of the static table.
    const length = [...headers].reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    promise(length <= bytes.length * 32, `headers of ${length} bytes from ${bytes.length}`);
  },
});

function decode(decoder: (block: Buffer) => Headers, bytes: Buffer): Headers | undefined {
  try {
    return decoder(Buffer.from(bytes));
  } catch (error) {
    promise(error instanceof Error && error.constructor === Error && error.message !== '', `decoding headers throws ${error}`);
    return undefined;
  }
}
