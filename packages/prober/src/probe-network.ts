import type { HttpExchange } from './handlers/http-get.js';
import type { ProbeAttempt } from './probe-attempt.js';

/** A call of `grpc.health.v1.Health/Check`. */
export interface GrpcProbeInput {
  host: string;
  port: number;
  /** The service to check; empty for the whole server. */
  service: string;
  userAgent: string;
  timeoutMs: number;
}

/** How probes reach their targets. Every signal aborts at the probe's timeout. `@nodeagent/prober/node` has the network of this machine. */
export interface ProbeNetwork {
  /** Makes the requests of HTTP probes. */
  http: HttpExchange;
  /** Makes a TCP probe: an accepted connection is success. Never rejects. */
  tcp(host: string, port: number, signal: AbortSignal): Promise<ProbeAttempt>;
  /** Makes a gRPC probe: the status `SERVING` is success. Never rejects. */
  grpc(input: GrpcProbeInput, signal: AbortSignal): Promise<ProbeAttempt>;
}
