import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import type { TlsMaterial } from './tls-source.js';

/** Node's options. Sessions are not resumed: whoever comes back shows the certificate again. */
export function secureContext({ cert, key, clientCA, minVersion = 'TLSv1.2', ciphers }: TlsMaterial): SecureContextOptions {
  return {
    cert,
    key,
    minVersion,
    ...(clientCA !== undefined && { ca: clientCA }),
    ...(ciphers !== undefined && { ciphers }),
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}
