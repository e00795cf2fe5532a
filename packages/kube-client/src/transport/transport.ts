/** The certificates of a connection, as PEM. Another object means other certificates and new connections. */
export interface ClientTls {
  /** Default: the certificate authorities that Node trusts. */
  ca?: string;
  cert?: string;
  key?: string;
}

/** One HTTP request to the API server. */
export interface TransportRequest {
  method: string;
  /** Path and query, below the server's URL. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
  tls?: ClientTls;
  /** Whether the response is a watch, which lasts for minutes. Default false. */
  isWatch?: boolean;
  /** Aborts the request, also while its body is read. */
  signal: AbortSignal;
}

export interface TransportResponse {
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  /**
   * UTF-8 in pieces; a server in the same process can give the whole body as one text. Can be read once; stopping early closes the
   * connection. Rejects with `ApiUnreachable` if the connection is lost.
   */
  body: AsyncIterable<Uint8Array | string>;
}

/**
 * Sends requests to the API server; a port that tests and in-process servers implement. Calls may be concurrent; it does not retry.
 */
export interface Transport {
  /**
   * Resolves when the response headers arrive. Rejects with `ApiUnreachable` on failure, and with the signal's reason
   * if it aborts.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Closes all connections, including those in use; later requests open new ones. */
  closeConnections(): void;
  /**
   * Ends the connections with other certificates than these: those of watches at once, as if the server had ended the watch, others after
   * their requests. Default: the transport has no connections with certificates.
   */
  closeOldConnections?(tls: ClientTls): void;
}
