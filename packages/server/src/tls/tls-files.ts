import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Clock, checkOptionNames, errorMessage, type Logger, NodeAgentError, type OptionNames, silentLogger } from '@nodeagent/api';
import { serverErrorCodes } from '../errors.js';
import { secureContext } from './secure-context.js';
import type { TlsMaterial, TlsSource } from './tls-source.js';

export interface TlsFilesOptions extends Pick<TlsMaterial, 'minVersion' | 'ciphers'> {
  certFile: string;
  keyFile: string;
  clientCAFile?: string;
  clock: Clock;
  logger?: Logger;
}

const optionNames: OptionNames<TlsFilesOptions> = {
  certFile: true,
  keyFile: true,
  clientCAFile: true,
  clock: true,
  logger: true,
  minVersion: true,
  ciphers: true,
};

/** Minimum interval between checks of the files in milliseconds. */
const checkIntervalMs = 1_000;

/**
 * Reloads certificates from files that may be replaced. Checks the files when a client connects, without a background task. If new files
 * are unusable, it logs a warning and keeps the previous ones. The first call throws `CertificateUnusable` for unusable files.
 */
export function tlsFiles(options: TlsFilesOptions): TlsSource {
  checkOptionNames('tlsFiles', options, optionNames);
  const { certFile, keyFile, clientCAFile, minVersion, ciphers, clock, logger = silentLogger } = options;
  const paths = [certFile, keyFile, ...(clientCAFile === undefined ? [] : [clientCAFile])];
  let current: TlsMaterial | undefined;
  let seen = '';
  let checkedAt = Number.NEGATIVE_INFINITY;

  const read = (): TlsMaterial => {
    const material = {
      cert: readPem(certFile),
      key: readPem(keyFile),
      ...(clientCAFile !== undefined && { clientCA: readPem(clientCAFile) }),
      ...(minVersion && { minVersion }),
      ...(ciphers && { ciphers }),
    };
    try {
      createSecureContext(secureContext(material));
    } catch (cause) {
      throw new NodeAgentError(serverErrorCodes.certificateUnusable, `${paths.join(', ')}: ${errorMessage(cause)}`, {
        details: { path: certFile },
        cause,
      });
    }
    return material;
  };

  return () => {
    const now = clock.monotonic();
    if (current !== undefined && now - checkedAt < checkIntervalMs) return current;
    checkedAt = now;
    const stamp = paths.map(stampOf).join();
    if (current !== undefined && stamp === seen) return current;
    try {
      current = read();
      seen = stamp;
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
