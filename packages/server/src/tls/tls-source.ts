/** What a server shows, and what it trusts, all PEM. */
export interface TlsMaterial {
  /** The server's certificate, with the chain that leads to its CA. */
  cert: string;
  key: string;
  /** The authorities of client certificates. Absent: clients are not asked for one. */
  clientCA?: string;
  /** Default `TLSv1.2`. */
  minVersion?: 'TLSv1.2' | 'TLSv1.3';
  /** Default: Node's. */
  ciphers?: string;
}

/** Asked at the start and for each connection: the same object as long as nothing has changed. May not throw after the start. */
export type TlsSource = () => TlsMaterial;
