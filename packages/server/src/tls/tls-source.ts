/** The serving certificate and key, and the trusted client CA, in PEM format. */
export interface TlsMaterial {
  /** The server's certificate, with the chain that leads to its CA. Absent: there is none yet, and handshakes fail. */
  cert?: string;
  key?: string;
  /** The CAs of client certificates. Absent: client certificates are not requested. */
  clientCA?: string;
  /** Default `TLSv1.2`. */
  minVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** Default: Node's. */
  ciphers?: string;
}

/**
 * Called at the start and for each connection and request. Returns the same object until the material changes. Later results must be
 * usable.
 */
export type TlsSource = () => TlsMaterial;
