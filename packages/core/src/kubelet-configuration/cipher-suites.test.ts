import { createSecureContext } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { openSslCiphers } from './cipher-suites.js';

describe('openSslCiphers', () => {
  it('converts to names of OpenSSL', () => {
    const ciphers = openSslCiphers([
      'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
      'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305',
      'TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
      'TLS_AES_128_GCM_SHA256',
    ]);
    expect(ciphers).toBe(
      'TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-CHACHA20-POLY1305',
    );
    expect(() => createSecureContext({ ciphers: ciphers ?? '' })).not.toThrow();
  });

  it('rejects weak suites', () => {
    expect(openSslCiphers(['TLS_RSA_WITH_RC4_128_SHA'])).toBeUndefined();
    expect(openSslCiphers([])).toBeUndefined();
  });
});
