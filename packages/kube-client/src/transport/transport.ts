/** The certificates of a connection, as PEM. Another object means other ones: new connections are made. */
export interface ClientTls {
  /** Default: the authorities that Node trusts. */
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
  /** Ends the request, also while its body is read. */
  signal: AbortSignal;
}

export interface TransportResponse {
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** Read once, to its end or not at all; leaving it early closes the connection. Rejects with `ApiUnreachable` where it is cut. */
  body: AsyncIterable<Uint8Array>;
}

/**
 * How requests get to the API server: the port that tests and an in-process server fill. Any number at once; nothing is retried here.
 */
export interface Transport {
  /**
   * Resolves when the answer's headers are there. Rejects with `ApiUnreachable` if it does not come to that, with the signal's reason
   * if that aborts.
   */
  send(request: TransportRequest): Promise<TransportResponse>;
  /** Cuts every connection, also those in use; what is asked next makes new ones. */
  closeConnections(): void;
}
