import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyedCertificate } from '@nodeagent/test-api-server';
import { createTestAuthority } from '@nodeagent/test-api-server/node';
import type { ApiServerSettings } from './settings.js';

/**
 * The certificate of `--tls-cert-file`, else that of `--cert-dir`; if there is none yet, a new one with its CA, which is written there as
 * kube-apiserver does.
 */
export function servingCertificate({ certificate, certDir, host }: ApiServerSettings): KeyedCertificate {
  const files = certificate ?? { cert: join(certDir, 'apiserver.crt'), key: join(certDir, 'apiserver.key') };
  if (certificate || (certDir && existsSync(files.cert) && existsSync(files.key))) {
    return { cert: readFileSync(files.cert, 'utf8'), key: readFileSync(files.key, 'utf8') };
  }
  const authority = createTestAuthority();
  const names = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'localhost', '127.0.0.1'];
  const issued = authority.issueServer([...new Set([...names, host])]);
  const pair = { ...issued, cert: issued.cert + authority.cert };
  if (certDir) {
    mkdirSync(certDir, { recursive: true });
    writeFileSync(files.cert, pair.cert);
    writeFileSync(files.key, pair.key, { mode: 0o600 });
  }
  return pair;
}
