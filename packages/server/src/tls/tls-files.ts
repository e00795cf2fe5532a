import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Clock, checkOptionNames, errorMessage, type Logger, NodeAgentError, type OptionNames, silentLogger } from '@nodeagent/api';
import { serverErrorCodes } from '../errors.js';
import { secureContext } from './secure-context.js';
import type { TlsMaterial, TlsSource } from './tls-source.js';

/** A certificate in files that another program may replace, or one that is issued while the server runs. */
export type ServedCertificate =
  | { certFile: string; keyFile: string }
  /** Returns the same object until the certificate changes; undefined: there is none yet, and handshakes fail. */
  | { certificate: () => { readonly cert: string; readonly key: string } | undefined };

interface TlsFilesCommon extends Pick<TlsMaterial, 'minVersion' | 'ciphers'> {
  clientCAFile?: string;
  clock: Clock;
  logger?: Logger;
}

/** Options of {@link tlsFiles}. */
export type TlsFilesOptions = TlsFilesCommon & ServedCertificate;

const optionNames: OptionNames<TlsFilesCommon & { certFile: string; keyFile: string; certificate: () => unknown }> = {
  certFile: true,
  keyFile: true,
  certificate: true,
  clientCAFile: true,
  clock: true,
  logger: true,
  minVersion: true,
  ciphers: true,
};

/** Minimum interval between checks of the files in milliseconds. */
const checkIntervalMs = 1_000;

/** Minimum interval between warnings about a missing certificate in milliseconds. */
const warnIntervalMs = 60_000;

/**
 * Reloads certificates from files that may be replaced. Checks the files when a client connects, without a background task. If new files
 * are unusable, it logs a warning and keeps the previous ones. The first call throws `CertificateUnusable` for unusable files.
 */
export function tlsFiles(options: TlsFilesOptions): TlsSource {
  checkOptionNames('tlsFiles', options, optionNames);
  const { clientCAFile, minVersion, ciphers, clock, logger = silentLogger } = options;
  const files = 'certFile' in options ? [options.certFile, options.keyFile] : [];
  const paths = [...files, ...(clientCAFile === undefined ? [] : [clientCAFile])];
  let current: TlsMaterial | undefined;
  let usedCertificate: object | undefined;
  let seen = '';
  let checkedAt = Number.NEGATIVE_INFINITY;
  let warnedAt = Number.NEGATIVE_INFINITY;

  const issued = () => ('certificate' in options ? options.certificate() : undefined);
  const warnWithoutCertificate = (now: number) => {
    if (current === undefined || now - warnedAt < warnIntervalMs) return;
    warnedAt = now;
    logger.warn('no serving certificate available for the kubelet');
  };

  const read = (certificate: { cert: string; key: string } | undefined): TlsMaterial => {
    const served = 'certFile' in options ? { cert: readPem(options.certFile), key: readPem(options.keyFile) } : certificate;
    const material = {
      ...(served && { cert: served.cert, key: served.key }),
      ...(clientCAFile !== undefined && { clientCA: readPem(clientCAFile) }),
      ...(minVersion && { minVersion }),
      ...(ciphers && { ciphers }),
    };
    try {
      createSecureContext(secureContext(material));
    } catch (cause) {
      throw new NodeAgentError(serverErrorCodes.certificateUnusable, `${paths.join(', ')}: ${errorMessage(cause)}`, {
        details: { path: paths[0] },
        cause,
      });
    }
    return material;
  };

  return () => {
    const now = clock.monotonic();
    const certificate = issued();
    if ('certificate' in options && certificate === undefined) warnWithoutCertificate(now);
    const isSame = certificate === usedCertificate;
    if (current !== undefined && isSame && now - checkedAt < checkIntervalMs) return current;
    checkedAt = now;
    const stamp = paths.map(stampOf).join();
    if (current !== undefined && isSame && stamp === seen) return current;
    try {
      current = read(certificate);
      seen = stamp;
      usedCertificate = certificate;
    } catch (error) {
      if (current === undefined) throw error;
      logger.warn({ err: error }, 'cannot load the new certificates, keeping the previous ones');
    }
    return current;
  };
}

/** Changes with the file. */
function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.ino}:${stat.mtimeNs}:${stat.size}`;
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new NodeAgentError(serverErrorCodes.certificateUnusable, errorMessage(cause), { details: { path }, cause });
  }
}
