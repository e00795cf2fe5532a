/** States of a service in the gRPC health checking protocol, by number. */
const servingStatuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

/** `HealthCheckRequest` of grpc.health.v1: field 1 is the service's name. */
export function encodeHealthRequest(service: string): Buffer {
  const name = Buffer.from(service);
  return name.length === 0 ? name : Buffer.concat([Buffer.from([0x0a, ...varint(name.length)]), name]);
}

/** The status of a `HealthCheckResponse` (field 1); undefined for an invalid message. */
export function decodeHealthResponse(message: Uint8Array): string | undefined {
  let status = 0;
  for (let at = 0; at < message.length; ) {
    const [key, afterKey] = readVarint(message, at);
    const [value, afterValue] = readVarint(message, afterKey);
    const wire = key % 8;
    if (key === 8) status = value;
    if (wire === 0) at = afterValue;
    else if (wire === 2) at = afterValue + value;
    else if (wire === 1 || wire === 5) at = afterKey + (wire === 1 ? 8 : 4);
    else return undefined;
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

/** The number and where it ends; beyond the end of the message there are zeros. */
function readVarint(message: Uint8Array, from: number): [value: number, end: number] {
  let value = 0;
  for (let at = from, factor = 1; ; at++, factor *= 128) {
    const byte = message[at] ?? 0;
    value += (byte % 128) * factor;
    if (byte < 128) return [value, at + 1];
  }
}
