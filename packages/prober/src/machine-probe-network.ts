import { grpcProbe } from './handlers/grpc.js';
import { nodeHttpExchange } from './handlers/http-exchange.js';
import { tcpProbe } from './handlers/tcp-socket.js';
import type { ProbeNetwork } from './probe-network.js';

/** Reaches targets over sockets of this machine, each request and call on a separate connection. */
export const machineProbeNetwork: ProbeNetwork = { http: nodeHttpExchange, tcp: tcpProbe, grpc: grpcProbe };
