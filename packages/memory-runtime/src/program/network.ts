import type { HealthStatus, HttpMessage, HttpReply } from './http.js';

/** A server that accepted a connection. */
export interface AcceptedConnection {
  /** Serves one request. Rejects with `ECONNRESET` if the server exits before it responds. Absent: the server does not serve HTTP. */
  request?(message: HttpMessage): Promise<HttpReply>;
  /** Absent: the server does not serve gRPC health checks. */
  health?(service: string): Promise<HealthStatus>;
}

/** The pod that a connection comes from. */
export interface NetworkClient {
  namespace: string;
  pod: string;
  addresses: readonly string[];
}

/** The network of programs beyond their pod. */
export interface ProgramNetwork {
  /**
   * Sends a request and resolves with its response. Rejects with a {@link NetworkError} if there is no connection, and waits as a client does
   * if packets are lost; it may ignore the signal.
   */
  fetch(message: HttpMessage, client: NetworkClient): Promise<HttpReply>;
}

export type NetworkErrorCode = 'EADDRINUSE' | 'ECONNREFUSED' | 'ECONNRESET' | 'EHOSTUNREACH' | 'ENOTFOUND' | 'ETIMEDOUT';

/** An error of a connection with `code`, `syscall` and the message of Node's: `connect ECONNREFUSED 10.0.0.1:80`. */
export class NetworkError extends Error {
  readonly code: NetworkErrorCode;
  readonly syscall: string;
  /** The name that was not found. */
  readonly hostname: string | undefined;

  constructor(code: NetworkErrorCode, syscall: 'connect' | 'getaddrinfo' | 'listen' | 'read', subject: string) {
    super(`${syscall} ${code}${subject && ` ${subject}`}`);
    this.name = 'NetworkError';
    this.code = code;
    this.syscall = syscall;
    this.hostname = syscall === 'getaddrinfo' ? subject : undefined;
  }
}

export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host);

/** The port of a URL, or that of its scheme. */
export const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));

/** The host of a URL without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Whether the host of a URL is an IP address, not a name. */
export const isAddress = (host: string): boolean => host.includes(':') || /^\d+(\.\d+){3}$/.test(host);

/** Sends a request over a connection. Rejects with `ECONNRESET` if the server does not serve HTTP. */
export function requestTo(server: AcceptedConnection, message: HttpMessage): Promise<HttpReply> {
  return server.request?.(message) ?? Promise.reject(new NetworkError('ECONNRESET', 'read', ''));
}
