import { createCriClient } from '@nodeagent/cri-client';
import fc from 'fast-check';
import { criAnswers, criFailures } from '../examples/cri-answers.js';
import { base64Field, chunkSizes, chunksOf, fromBase64, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { withSocketPeer } from '../generate/socket-peer.js';
import { promiseDocumented, promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

const types = { data: 0, headers: 1, reset: 3, settings: 4, push: 5, ping: 6, goAway: 7, windowUpdate: 8, continuation: 9 };
const endStream = 1;
const endHeaders = 4;
const padded = 8;

/** A frame by RFC 9113, written here independently of the package. */
function frame(type: number, flags: number, id: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(id >>> 0, 5);
  return Buffer.concat([head, payload]);
}

const number = (value: number) => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);
/** A header that no table has. */
const header = (name: string, value: string) =>
  Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);
const grpcMessage = (message: Uint8Array) => Buffer.concat([Buffer.from([0]), number(message.length), message]);

/** The client's calls have these streams; a call that is sent again has the next one. */
const callId = fc.constantFrom(1, 3, 5);
const id = fc.oneof({ weight: 3, arbitrary: callId }, { weight: 1, arbitrary: fc.constantFrom(0, 2, 7) });
const okHeaders = Buffer.concat([Buffer.from([0x88]), header('content-type', 'application/grpc')]);
const block = fc.oneof(
  fc.constant(okHeaders),
  fc
    .constantFrom('0', '5', '00', '', '99', '-1', 'x')
    .map((status) => Buffer.concat([header('grpc-status', status), header('grpc-message', '%ff %41')])),
  fc.constantFrom('100', '503', '200').map((status) => header(':status', status)),
  // Indexed, incremental, Huffman-coded, and changes of the table's size.
  fc.array(fc.constantFrom(0x88, 0x40, 0x20, 0x3f, 0x82, 0xff, 0x00, 0x1f, 0x81), { maxLength: 12 }).map((bytes) => Buffer.from(bytes)),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
);
const content = fc.oneof(
  fc.constantFrom(...Object.values(criAnswers)).map(grpcMessage),
  fc.constantFrom(
    grpcMessage(new Uint8Array()),
    Buffer.from([1, 0, 0, 0, 0]),
    Buffer.from([0, 0xff, 0xff, 0xff, 0xff]),
    Buffer.alloc(16_384),
  ),
  fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
);

/** Frames of a whole response: headers, messages and trailers, perhaps in parts. */
const response = fc
  .record({
    id: callId,
    messages: fc.oneof(
      fc.constantFrom(...Object.values(criAnswers)).map((answer) => [grpcMessage(answer)]),
      fc.array(content, { maxLength: 3 }),
    ),
    trailers: fc.oneof(fc.constant(header('grpc-status', '0')), block),
    isSplit: fc.boolean(),
  })
  .map(({ id, messages, trailers, isSplit }) => [
    frame(types.headers, endHeaders, id, okHeaders),
    ...messages.map((message) => frame(types.data, 0, id, message)),
    ...(isSplit
      ? [frame(types.headers, endStream, id, trailers.subarray(0, 3)), frame(types.continuation, endHeaders, id, trailers.subarray(3))]
      : [frame(types.headers, endHeaders | endStream, id, trailers)]),
  ]);
const setting = fc
  .record({ id: fc.nat(8), value: fc.constantFrom(0, 1, 0x7fff_ffff, 0xffff_ffff) })
  .map(({ id, value }) => Buffer.concat([Buffer.from([0, id]), number(value)]));
const flags = fc.constantFrom(0, 0, endStream, endHeaders, endHeaders | endStream, padded, 32, 0xff);
const code = fc.constantFrom(0, 7, 8, 11, 12, 99).map(number);
const otherFrame = fc.oneof(
  fc.array(setting, { maxLength: 3 }).map((settings) => frame(types.settings, 0, 0, Buffer.concat(settings))),
  fc.tuple(id, code).map(([id, code]) => frame(types.reset, 0, id, code)),
  fc
    .tuple(fc.constantFrom(0, 1, 3, 0x7fff_ffff), code)
    .map(([last, code]) => frame(types.goAway, 0, 0, Buffer.concat([number(last), code]))),
  fc.tuple(id, fc.constantFrom(0, 1, 0x7fff_ffff)).map(([id, size]) => frame(types.windowUpdate, 0, id, number(size))),
  fc.tuple(id, flags, block).map(([id, flags, block]) => frame(types.headers, flags, id, block)),
  fc.tuple(id, flags, content).map(([id, flags, content]) => frame(types.data, flags, id, content)),
  fc.tuple(fc.nat(11), flags, id, fc.uint8Array({ maxLength: 12 })).map(([type, flags, id, payload]) => frame(type, flags, id, payload)),
);
const settings = frame(types.settings, 0, 0, new Uint8Array());
const connection = fc
  .array(fc.oneof({ weight: 2, arbitrary: response }, { weight: 1, arbitrary: otherFrame }), { maxLength: 8 })
  .map((parts) => Buffer.concat([settings, ...parts.flat()]));

interface Outcome {
  /** How each of three concurrent calls ends: with its response, or the code and message of its error. */
  ends: unknown[];
  connections: number;
}

function outcomeOf(chunks: readonly Buffer[]): Promise<Outcome> {
  return withSocketPeer(chunks, async (endpoint, connections) => {
    const client = createCriClient({ endpoint });
    const events = async () => {
      const received: unknown[] = [];
      for await (const event of client.runtime.getContainerEvents({})) received.push(event);
      return received;
    };
    const calls = [client.runtime.listContainers({}), client.runtime.version({ version: '' }), events()];
    const ends = await Promise.all(calls.map((call) => call.catch(failure)));
    client.close();
    return { ends, connections: connections() };
  });
}

function failure(error: unknown): string {
  const { code, message } = promiseDocumented(error, criFailures, 'a call');
  return `${code}: ${message}`;
}

export const http2Frames = fuzzTarget({
  name: 'http2-frames',
  promise: 'bytes from the socket of a runtime end each call with a response or a CRI error, the same however they are split',
  runs: 400,
  inputs: fc.record({ bytes: fc.oneof(connection, mutatedBytes(connection)).map(toBase64), sizes: chunkSizes }),
  content: base64Field('bytes'),
  async check({ bytes, sizes }) {
    const content = fromBase64(bytes);
    const whole = await outcomeOf([content]);
    const split = await outcomeOf(chunksOf(content, sizes));
    // A call that the runtime refused is sent again on a second connection, and then the order of both connections counts.
    if (whole.connections === 1 && split.connections === 1) promiseSame(split, whole, 'the outcomes of calls that are answered in chunks');
  },
});
