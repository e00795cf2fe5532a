import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, checkOptionNames, issueCertificate, replaceFile } from '@nodeagent/api';

/** A certificate and its private key, both PEM. */
export interface ServingCertificate {
  cert: string;
  key: string;
}

const day = 24 * 60 * 60 * 1_000;
const year = 365 * day;

/** Creates a self-signed certificate, valid for one year from `now` (milliseconds). */
export function selfSignedCertificate(hosts: readonly string[], now: number): ServingCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = { commonName: `${hosts[0] ?? 'node'}@${Math.floor(now / 1_000)}` };
  const cert = issueCertificate({
    subject,
    publicKey,
    issuer: { subject, privateKey },
    // An hour for clocks that are behind.
    notBefore: now - day / 24,
    notAfter: now + year,
    hosts,
    usages: ['server'],
    isAuthority: true,
  });
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

export interface ServingCertificateFiles {
  certFile: string;
  keyFile: string;
}

/**
 * Returns the files `kubelet.crt` and `kubelet.key` of a directory (`--cert-dir`). Creates them if they are missing, do not match or expire
 * within a month.
 */
export async function ensureServingCertificate(options: {
  directory: string;
  /** Names and addresses, the first of which names the certificate. */
  hosts: readonly string[];
  clock: Clock;
}): Promise<ServingCertificateFiles> {
  checkOptionNames('ensureServingCertificate', options, { directory: true, hosts: true, clock: true });
  const { directory, hosts, clock } = options;
  const files = { certFile: join(directory, 'kubelet.crt'), keyFile: join(directory, 'kubelet.key') };
  const read = (path: string) => readFile(path, 'utf8').catch(() => '');
  if (isGood({ cert: await read(files.certFile), key: await read(files.keyFile) }, clock.now())) return files;
  const { cert, key } = selfSignedCertificate(hosts, clock.now());
  await replaceFile(files.keyFile, key, 0o755);
  await replaceFile(files.certFile, cert, 0o755);
  return files;
}

function isGood({ cert, key }: ServingCertificate, now: number): boolean {
  try {
    const certificate = new X509Certificate(cert);
    return certificate.checkPrivateKey(createPrivateKey(key)) && Date.parse(certificate.validTo) - now > 30 * day;
  } catch {
    return false;
  }
}
