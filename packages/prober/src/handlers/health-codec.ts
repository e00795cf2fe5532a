/** States of a service in the gRPC health checking protocol, by number. */
const servingStatuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

/** `HealthCheckRequest` of grpc.health.v1: field 1 is the service's name. */
export function encodeHealthRequest(service: string): Buffer {
  const name = Buffer.from(service);
  return name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name]);
}

/** Sizes of the values of the wire types 1 and 5. */
const fixedSizes: Readonly<Record<number, number>> = { 1: 8, 5: 4 };

/**
 * The status of a `HealthCheckResponse` (field 1); undefined for an invalid message: one that is cut off, or has a field number 0 or a group.
 * An unknown status is its number, an int32.
 */
export function decodeHealthResponse(message: Uint8Array): string | undefined {
  let status = 0;
  for (let at = 0; at < message.length; ) {
    const key = readVarint(message, at);
    if (key === undefined || key.value < 8n || key.value > 0xffff_ffffn) return undefined;
    const wire = Number(key.value & 7n);
    const fixed = fixedSizes[wire];
    const value = wire === 0 || wire === 2 ? readVarint(message, key.end) : undefined;
    if (fixed !== undefined) at = key.end + fixed;
    else if (value === undefined) return undefined;
    else if (wire === 0) at = value.end;
    else at = value.end + Number(value.value);
    if (at > message.length) return undefined;
    if (value !== undefined && key.value === 8n) status = Number(BigInt.asIntN(32, value.value));
  }
  return servingStatuses[status] ?? String(status);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}

const maxVarintBytes = 10;

/** The number of up to 64 bits and where it ends; undefined if it is cut off or larger. */
function readVarint(message: Uint8Array, from: number): { value: bigint; end: number } | undefined {
  let value = 0n;
  for (let index = 0; index < maxVarintBytes; index++) {
    const byte = message[from + index];
    if (byte === undefined) return undefined;
    value |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return value === BigInt.asUintN(64, value) ? { value, end: from + index + 1 } : undefined;
  }
  return undefined;
}
