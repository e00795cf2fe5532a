import { constants, createPrivateKey, X509Certificate } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';
import type { TlsMaterial } from './tls-source.js';

/**
 * Node's options. Sessions are not resumed: whoever comes back shows the certificate again. Throws if certificate, key or authorities are
 * none, or do not fit: without authorities Node would trust the world's.
 */
export function secureContext({ cert, key, clientCA, minVersion = 'TLSv1.2', ciphers }: TlsMaterial): SecureContextOptions {
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) throw new Error('the key is not that of the certificate');
  if (clientCA !== undefined) new X509Certificate(clientCA);
  return {
    cert,
    key,
    minVersion,
    ...(clientCA !== undefined && { ca: clientCA }),
    ...(ciphers !== undefined && { ciphers }),
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}
