import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createGrpcJsClient } from '../../test/grpc-js-client.js';
import { type Peer, type PeerScript, servePeer } from '../../test/http2-peer.js';
import { errorOf, greet, statusOf, transportTo } from '../../test/text-greeter.js';
import type { GrpcCalls } from './client.js';
import { encodeNumbers, frameFlags, frameTypes, http2Errors } from './frames.js';
import { encodeHeaders } from './hpack.js';
import { encodeMessage } from './message-reader.js';

const ok = { ':status': '200', 'content-type': 'application/grpc' };

type Respond = NonNullable<PeerScript['request']>;

/** The outcome of a call: the response, or the status with its description. */
async function outcomeOf(client: Pick<GrpcCalls, 'unary'>): Promise<string> {
  const call = client.unary(greet, 'name');
  return call.then(
    (response) => `OK: ${response}`,
    () => statusOf(call),
  );
}

/** The outcome of a call that the script answers. */
async function outcome(request: Respond): Promise<string> {
  const { socketPath } = await servePeer({ request });
  return outcomeOf(transportTo(socketPath));
}

/** The outcome of a call that the script answers, which is also that of a call by grpc-js. */
async function commonOutcome(request: Respond): Promise<string> {
  const { socketPath } = await servePeer({ request });
  const reference = createGrpcJsClient(socketPath);
  onTestFinished(() => reference.close());
  const actual = await outcomeOf(transportTo(socketPath));
  expect(actual).toBe(await outcomeOf(reference));
  return actual;
}

describe('the request', () => {
  it('has the headers of gRPC, the message with its prefix and the timeout', async () => {
    const requests: object[] = [];
    const { socketPath, peer } = await servePeer({
      request(connection, id, headers) {
        requests.push(Object.fromEntries(headers));
        connection.respond(id, 'hello');
      },
    });
    const transport = transportTo(socketPath, { clock: createVirtualClock() });
    for (const timeoutMs of [undefined, 120_000, 0.5, 2 ** 31 - 1]) await transport.unary(greet, 'name', { timeoutMs });
    const headers = {
      ...{ ':method': 'POST', ':scheme': 'http', ':path': '/demo.Greeter/Greet', ':authority': 'localhost' },
      ...{ te: 'trailers', 'content-type': 'application/grpc', 'user-agent': 'nodeagent-grpc' },
    };
    expect(requests).toEqual([
      headers,
      { ...headers, 'grpc-timeout': '120000m' },
      { ...headers, 'grpc-timeout': '1m' },
      { ...headers, 'grpc-timeout': '2147484S' },
    ]);
    const data = (await peer(0)).received.filter(({ type }) => type === frameTypes.data);
    expect(data.map(({ flags, payload }) => [flags, payload.toString('latin1')])).toEqual(Array(4).fill([1, '\0\0\0\0\x04name']));
  });
});

describe('the response', () => {
  it('may consist of padded frames, a header block in parts, an informational response and empty data', async () => {
    const answer = await commonOutcome((peer, id) => {
      peer.headers(id, { ':status': '103', link: '<x>' });
      const block = encodeHeaders(Object.entries(ok));
      const priority = Buffer.alloc(5);
      const first = Buffer.concat([Buffer.of(3), priority, block.subarray(0, 10), Buffer.alloc(3)]);
      peer.send(frameTypes.headers, frameFlags.padded | frameFlags.priority, id, first);
      peer.send(frameTypes.continuation, 0, id, block.subarray(10, 20));
      peer.send(frameTypes.continuation, frameFlags.endHeaders, id, block.subarray(20));
      peer.send(frameTypes.data, 0, id);
      const message = encodeMessage(Buffer.from('hello'));
      for (const byte of message) peer.send(frameTypes.data, frameFlags.padded, id, Buffer.from([2, byte, 0, 0]));
      peer.headers(id, { 'grpc-status': '0' }, true);
    });
    expect(answer).toBe('OK: hello');
  });

  it('may arrive in pieces of one byte', async () => {
    const { socketPath } = await servePeer({ pieceBytes: 1, request: (peer, id) => peer.respond(id, 'hello') });
    expect(await transportTo(socketPath).unary(greet, 'name')).toBe('hello');
  });

  it.each([
    ['only of trailers with an error', { 'grpc-status': '5', 'grpc-message': 'no such pod' }, 'NotFound: no such pod'],
    ['of trailers without a message', { 'grpc-status': '13' }, 'Internal: '],
    ['of a message that is not encoded correctly', { 'grpc-status': '2', 'grpc-message': '100% %zz' }, 'Unknown: 100% %zz'],
    ['of an unknown status', { 'grpc-status': '99', 'grpc-message': 'new' }, 'Unknown: new'],
    ['of a status that is no number', { 'grpc-status': 'x' }, 'Unknown: '],
    ['of a status with a leading zero', { 'grpc-status': '05' }, 'NotFound: '],
    ['of OK with a leading zero', { 'grpc-status': '00' }, 'Unimplemented: No message received'],
    ['of OK without a response', { 'grpc-status': '0' }, 'Unimplemented: No message received'],
    ['of nothing', {}, 'Unknown: Received HTTP status code 200'],
  ])('may consist %s', async (_, trailers, expected) => {
    expect(await commonOutcome((peer, id) => peer.headers(id, { ...ok, ...trailers }, true))).toBe(expected);
  });

  it('fails with a status other than OK if its status is empty', async () => {
    expect(await outcome((peer, id) => peer.headers(id, { ...ok, 'grpc-status': '' }, true))).toBe('Unknown: ');
  });

  it('fails with the status of its trailers, even after a message', async () => {
    const answer = await commonOutcome((peer, id) => {
      peer.headers(id, ok);
      peer.message(id, 'hello');
      peer.headers(id, { 'grpc-status': '10', 'grpc-message': 'conflict' }, true);
    });
    expect(answer).toBe('Aborted: conflict');
  });

  it.each([
    ['200', 'Internal: Received RST_STREAM with code 0 (Call ended without gRPC status)'],
    ['400', 'Internal: Received HTTP status code 400'],
    ['401', 'Unauthenticated: Received HTTP status code 401'],
    ['403', 'PermissionDenied: Received HTTP status code 403'],
    ['404', 'Unimplemented: Received HTTP status code 404'],
    ['429', 'Unavailable: Received HTTP status code 429'],
    ['500', 'Unknown: Received HTTP status code 500'],
    ['502', 'Unavailable: Received HTTP status code 502'],
    ['503', 'Unavailable: Received HTTP status code 503'],
    ['504', 'Unavailable: Received HTTP status code 504'],
  ])('with the HTTP status %s and no gRPC status is an error', async (status, expected) => {
    const answer = await commonOutcome((peer, id) => {
      peer.headers(id, { ':status': status });
      const page = '<html>a page that is no message, and that would be one of gigabytes</html>';
      peer.send(frameTypes.data, frameFlags.endStream, id, status === '200' ? encodeMessage(Buffer.from('x')) : Buffer.from(page));
    });
    expect(answer).toBe(expected);
  });

  it('without headers is an error', async () => {
    expect(await outcome((peer, id) => peer.send(frameTypes.data, frameFlags.endStream, id))).toBe(
      'Internal: Received RST_STREAM with code 0 (Call ended without gRPC status)',
    );
  });

  it('with a second message is an error, and the client cancels the call', async () => {
    const answer = await outcome((peer, id) => {
      peer.headers(id, ok);
      peer.message(id, 'hello');
      peer.message(id, 'hello');
    });
    expect(answer).toBe('Unimplemented: Too many responses received');
  });

  it('with a compressed message is an error', async () => {
    const answer = await outcome((peer, id) => {
      peer.headers(id, ok);
      peer.send(frameTypes.data, 0, id, Buffer.from([1, 0, 0, 0, 1, 0]));
    });
    expect(answer).toBe('Internal: Received compressed message but "grpc-encoding" header was identity');
  });

  it('that ends within a message is an error', async () => {
    const answer = await commonOutcome((peer, id) => {
      peer.headers(id, ok);
      peer.send(frameTypes.data, 0, id, Buffer.from([0, 0, 0, 0, 9, 1]));
      peer.headers(id, { 'grpc-status': '0' }, true);
    });
    expect(answer).toBe('Unimplemented: No message received');
  });

  it('with a message above the limit fails as soon as its size is known', async () => {
    const { socketPath, peer } = await servePeer({
      request(connection, id) {
        connection.headers(id, ok);
        connection.send(frameTypes.data, 0, id, Buffer.from([0, 0x40, 0, 0, 0]));
      },
    });
    expect(await statusOf(transportTo(socketPath).unary(greet, 'name'))).toBe(
      'ResourceExhausted: Received message larger than max (1073741824 vs 1048576)',
    );
    await expect.poll(async () => resets(await peer(0))).toEqual([{ id: 1, code: http2Errors.cancel }]);
  });

  it.each([
    [http2Errors.noError, 'Internal: Received RST_STREAM with code 0 (Call ended without gRPC status)'],
    [http2Errors.protocolError, 'Internal: Received RST_STREAM with code 1'],
    [http2Errors.internalError, 'Internal: Received RST_STREAM with code 2 (Internal server error)'],
    [http2Errors.cancel, 'Canceled: Call cancelled'],
    [http2Errors.enhanceYourCalm, 'ResourceExhausted: Bandwidth exhausted or memory limit exceeded'],
    [http2Errors.inadequateSecurity, 'PermissionDenied: Protocol not secure enough'],
  ])('may be a reset with code %d', async (code, expected) => {
    expect(await commonOutcome((peer, id) => peer.reset(id, code))).toBe(expected);
  });

  it('that arrives after the call was cancelled is ignored', async () => {
    const controller = new AbortController();
    const { socketPath, peer } = await servePeer({
      request(connection, id) {
        if (id === 1) controller.abort('enough');
        else connection.respond(1, 'late');
        connection.respond(id, 'hello');
      },
    });
    const transport = transportTo(socketPath);
    expect(await errorOf(transport.unary(greet, 'name', { signal: controller.signal }))).toBe('enough');
    expect(await transport.unary(greet, 'name')).toBe('hello');
    expect(resets(await peer(0))).toEqual([{ id: 1, code: http2Errors.cancel }]);
  });
});

function resets({ received }: Peer): { id: number; code: number }[] {
  return received
    .filter(({ type }) => type === frameTypes.resetStream)
    .map(({ id, payload }) => ({ id, code: payload.equals(encodeNumbers(http2Errors.cancel)) ? http2Errors.cancel : -1 }));
}
