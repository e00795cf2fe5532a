import { encodeMessage, message, rawFields, string, wireTypes } from '@nodeagent/protobuf';

/** States of a service in the gRPC health checking protocol, by number. */
const servingStatuses = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

const healthCheckRequest = message({ service: string(1) });

/** `HealthCheckRequest` of grpc.health.v1. */
export function encodeHealthRequest(service: string): Buffer {
  return encodeMessage(healthCheckRequest, { service });
}

/**
 * The status of a `HealthCheckResponse` (field 1); undefined for an invalid message: one that is cut off, or has a field number 0 or a group.
 * An unknown status is its number, an int32.
 */
export function decodeHealthResponse(response: Uint8Array): string | undefined {
  try {
    const statuses = rawFields(response).filter(({ number, type }) => number === 1 && type === wireTypes.varint);
    const status = Number(BigInt.asIntN(32, (statuses.at(-1)?.value as bigint | undefined) ?? 0n));
    return servingStatuses[status] ?? String(status);
  } catch {
    return undefined;
  }
}
