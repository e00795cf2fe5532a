import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import type { TlsMaterial } from './tls-source.js';

/**
 * Options for Node's TLS server. Sessions are not resumed, so that each connection presents its certificate. Throws if certificate, key or
 * client CA are invalid or do not match; without a CA, Node would trust the public CAs.
 */
export function secureContext({ cert, key, clientCA, minVersion = 'TLSv1.2', ciphers }: TlsMaterial): SecureContextOptions {
  if (cert !== undefined && !new X509Certificate(cert).checkPrivateKey(createPrivateKey(key ?? '')))
    throw new Error('the key is not that of the certificate');
  if (clientCA !== undefined) new X509Certificate(clientCA);
  return {
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    minVersion,
    ...(clientCA !== undefined && { ca: clientCA }),
    ...(ciphers !== undefined && { ciphers }),
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}
