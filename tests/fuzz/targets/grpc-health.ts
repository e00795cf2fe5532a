import { runProbe } from '@nodeagent/prober';
import { machineProbeNetwork } from '@nodeagent/prober/node';
import fc from 'fast-check';
import { base64Field, fromBase64, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { withPortPeer } from '../generate/socket-peer.js';
import { promiseSame } from '../promises.js';
import { fuzzTarget } from '../target.js';

/** An HTTP/2 frame of the call's stream, or of the connection. */
function frame(type: number, flags: number, id: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.set([type, flags], 3);
  head.writeUInt32BE(id, 5);
  return Buffer.concat([head, payload]);
}

const status200 = Buffer.from([0x88]);
const grpcStatus0 = Buffer.concat([Buffer.from([0, 11]), Buffer.from('grpc-status'), Buffer.from([1]), Buffer.from('0')]);

const settings = frame(4, 0, 0, Buffer.alloc(0));
const path = '/grpc.health.v1.Health/Check';

/** A server that answers the call of a probe with the message. */
function serve(message: Buffer): (received: Buffer) => Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  const answer = [frame(1, 4, 1, status200), frame(0, 0, 1, Buffer.concat([prefix, message])), frame(1, 5, 1, grpcStatus0)];
  return (received) => {
    if (received.includes(path)) return Buffer.concat(answer);
    return received.includes('PRI') ? settings : Buffer.alloc(0);
  };
}

const names = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

/** The status in a message of protocol buffers (field 1, an enum), read here independently of the package; undefined for an invalid message. */
function statusIn(message: Buffer): string | undefined {
  let [at, status] = [0, 0n];
  const varint = (): bigint | undefined => {
    for (let [value, shift] = [0n, 0n]; at < message.length && shift < 70n; shift += 7n) {
      const byte = BigInt(message[at++] ?? 0);
      value |= (byte & 0x7fn) << shift;
      if (byte < 0x80n) return value < 1n << 64n ? value : undefined;
    }
    return undefined;
  };
  while (at < message.length) {
    const key = varint();
    if (key === undefined || key >> 3n === 0n || key >= 1n << 32n) return undefined;
    const wire = Number(key & 7n);
    const value = wire === 0 || wire === 2 ? varint() : { 1: 8n, 5: 4n }[wire];
    if (value === undefined) return undefined;
    if (wire !== 0) at += Number(value);
    if (at > message.length) return undefined;
    if (key === 8n) status = BigInt.asIntN(32, value);
  }
  return names[Number(status)] ?? `${status}`;
}

const field = fc.constantFrom(
  '0801',
  '0800',
  '0803',
  '08ffffffffffffffffff01',
  '088180808010',
  '1203616263',
  '0900',
  '15',
  '1500000000',
  '8001',
  '00',
  '0a0108',
);
const message = fc.array(field, { maxLength: 3 }).map((fields) => Buffer.from(fields.join(''), 'hex'));

export const grpcHealth = fuzzTarget({
  name: 'grpc-health',
  promise: 'a gRPC probe succeeds exactly for a valid message with the status SERVING, and names each other status as a kubelet does',
  runs: 500,
  inputs: fc.record({ message: fc.oneof(message, mutatedBytes(message)).map(toBase64) }),
  content: base64Field('message'),
  async check(input) {
    const bytes = fromBase64(input.message);
    const { result, output } = await withPortPeer(serve(bytes), (port) =>
      runProbe({ grpc: { port } }, {}, { network: machineProbeNetwork }),
    );
    const status = statusIn(bytes);
    const expected =
      status === undefined
        ? 'error: health rpc probe failed: the response is no HealthCheckResponse'
        : status === 'SERVING'
          ? 'service healthy'
          : `service unhealthy (responded with ${JSON.stringify(status)})`;
    promiseSame({ result, output }, { result: status === 'SERVING' ? 'success' : 'failure', output: expected }, 'the probe');
  },
});
