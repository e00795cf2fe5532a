import * as tls from 'node:tls';

/** `getCACertificates` has those of `NODE_EXTRA_CA_CERTS`, too; Node.js has it since 22.15. */
type CurrentTls = typeof tls & { getCACertificates?(type: 'default'): string[] };

/** The certificates of which one must have signed that of a server: `ca`, or those of the system and `roots`. */
export function trustedCertificates({ ca, roots }: { ca?: string; roots?: string }): string[] | undefined {
  if (ca !== undefined) return [ca];
  if (roots === undefined) return undefined;
  return [...((tls as CurrentTls).getCACertificates?.('default') ?? tls.rootCertificates), roots];
}
