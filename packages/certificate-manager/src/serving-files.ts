import { generateKeyPairSync } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, type Logger, silentLogger, systemClock } from '@nodeagent/api';
import { replaceFile } from '@nodeagent/api/files';
import { issueCertificate } from '@nodeagent/x509/node';
import type { CertificatePair } from './certificate-pair.js';
import { loadPair } from './file-store.js';

/** Options of {@link createCertificateFiles}. */
export interface CertificateFilesOptions {
  /** `tlsCertFile` of a KubeletConfiguration. */
  certFile: string;
  /** `tlsPrivateKeyFile`. */
  keyFile: string;
  clock?: Clock;
  logger?: Logger;
}

/** A certificate in files that another program may replace. */
export interface CertificateFiles {
  /**
   * The certificate for the next handshake. Checks the files at most once a second, without a background task, and keeps the previous
   * certificate while they are invalid. Throws `CertificateUnusable` until the files were valid once.
   */
  current(): CertificatePair;
}

/** Minimum interval between checks of the files in milliseconds. */
const checkIntervalMs = 1_000;

/** A serving certificate that the node does not request (`ReloadKubeletServerCertificateFile`). */
export function createCertificateFiles(options: CertificateFilesOptions): CertificateFiles {
  const { certFile, keyFile, clock = systemClock, logger = silentLogger } = options;
  let pair: CertificatePair | undefined;
  let loadedStamp = '';
  let checkedAt = Number.NEGATIVE_INFINITY;

  return {
    current() {
      const now = clock.monotonic();
      if (pair !== undefined && now - checkedAt < checkIntervalMs) return pair;
      checkedAt = now;
      const stamp = [certFile, keyFile].map(stampOf).join();
      if (pair !== undefined && stamp === loadedStamp) return pair;
      try {
        pair = loadPair(certFile, keyFile);
        loadedStamp = stamp;
      } catch (error) {
        if (pair === undefined) throw error;
        logger.warn({ certFile, err: error }, 'cannot load the new certificate, keeping the previous one');
      }
      return pair;
    },
  };
}

/** Changes with the file. */
function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.ino}:${stat.mtimeNs}:${stat.size}`;
}

const day = 86_400_000;

/**
 * The files `kubelet.crt` and `kubelet.key` of a folder, for a node that neither has files nor requests a serving certificate. Creates a
 * self-signed certificate, valid for a year, if they are missing or invalid or expire within 30 days.
 */
export async function ensureSelfSignedCertificate(options: {
  directory: string;
  /** Names and IP addresses; the first one names the certificate. */
  hosts: readonly [string, ...string[]];
  clock?: Clock;
}): Promise<{ certFile: string; keyFile: string }> {
  const { directory, hosts, clock = systemClock } = options;
  const files = { certFile: join(directory, 'kubelet.crt'), keyFile: join(directory, 'kubelet.key') };
  if (isUsable(files, clock.now() + 30 * day)) return files;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = { commonName: `${hosts[0]}@${Math.floor(clock.now() / 1_000)}` };
  const cert = issueCertificate({
    subject,
    publicKey,
    issuer: { subject, privateKey },
    // An hour for clients whose clocks are behind.
    notBefore: clock.now() - day / 24,
    notAfter: clock.now() + 365 * day,
    hosts,
    usages: ['server'],
    isAuthority: true,
  });
  await replaceFile(files.keyFile, privateKey.export({ type: 'sec1', format: 'pem' }).toString(), 0o755);
  await replaceFile(files.certFile, cert, 0o755);
  return files;
}

function isUsable({ certFile, keyFile }: { certFile: string; keyFile: string }, at: number): boolean {
  try {
    return loadPair(certFile, keyFile).facts.notAfter > at;
  } catch {
    return false;
  }
}
