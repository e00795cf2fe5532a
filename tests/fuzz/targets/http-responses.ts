import { httpGetOver } from '@nodeagent/api/helpers';
import fc from 'fast-check';
import { base64Field, chunkSizes, chunksOf, fromBase64, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { peerSending } from '../generate/peer.js';
import { promise, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

const lineEnd = fc.constantFrom('\r\n', '\r\n', '\n');
const statusLine = fc.constantFrom(
  'HTTP/1.1 200 OK',
  'HTTP/1.0 404',
  'HTTP/1.1 100 Continue',
  'HTTP/1.1 204 No Content',
  'HTTP/1.1 302 Found',
);
const field = fc.constantFrom(
  ...[
    'A: b',
    ' folded',
    'Location: /next',
    'Connection: upgrade',
    'Trailer: A',
    'Transfer-Encoding: chunked',
    'Content-Length: 5',
    'A : b',
  ],
  ...['Content-Length: 05', `A: ${'x'.repeat(3_000)}`],
);
const head = fc
  .record({ statusLine, fields: fc.array(field, { maxLength: 5 }), lineEnd })
  .map(({ statusLine, fields, lineEnd }) => [statusLine, ...fields, '', ''].join(lineEnd));
const body = fc.oneof(
  fc.constantFrom('', 'hello', '5\r\nhello\r\n0\r\n\r\n', '1;a=b\r\nh\r\n0\r\nA: b\r\n\r\n', '5\nhello\n0\n\n', 'ffffffffffffffff\r\nx'),
  fc.string({ unit: 'binary-ascii', maxLength: 30 }),
  fc.constant('x'.repeat(20_000)),
);
const response = fc
  .tuple(fc.array(head, { minLength: 1, maxLength: 3 }), body)
  .map(([heads, body]) => Buffer.from(heads.join('') + body, 'latin1'));

const limit = 10_240;

/** The response, or the error of its head or body. */
async function receive(chunks: readonly Buffer[]) {
  const { socket } = peerSending(chunks);
  try {
    const { status, location, readBody, close } = await httpGetOver(socket, { target: '/', headers: { Host: 'h' } });
    const body = await readBody(limit).then(
      (bytes) => Buffer.from(bytes).toString('latin1'),
      (error: Error) => ({ error: error.message }),
    );
    close();
    return { status, location, body };
  } catch (error) {
    return { error: (error as Error).message };
  } finally {
    promise(socket.destroyed, 'the connection is not closed');
  }
}

export const httpResponses = fuzzTarget({
  name: 'http-responses',
  promise: 'a response to a probe or hook is the same however its bytes arrive, or an error with a message; the connection is closed',
  runs: 500,
  inputs: fc.record({ response: fc.oneof(response, mutatedBytes(response)).map(toBase64), sizes: chunkSizes }),
  content: base64Field('response'),
  async check({ response, sizes }) {
    const bytes = fromBase64(response);
    const whole = await receive([bytes]);
    promiseSame(await receive(chunksOf(bytes, sizes)), whole, 'the response that arrives in pieces');
    if (whole.error !== undefined) promise(whole.error !== '', 'an error without a message');
    else promise(whole.status !== undefined && whole.status <= 999, 'a status of more than three digits');
    if (typeof whole.body === 'string')
      promise(whole.body.length <= Math.min(limit, bytes.length), 'a body longer than the limit or the response');
  },
});
