import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Clock, errorMessage, type Logger, NodeAgentError, silentLogger, systemClock } from '@nodeagent/api';
import { serverErrorCodes } from '../errors.js';
import { secureContext } from './secure-context.js';
import type { TlsMaterial, TlsSource } from './tls-source.js';

/** A certificate with its chain, and its private key; PEM. */
export interface ServingCertificate {
  cert: string;
  key: string;
}

export interface TlsSourceOptions extends Pick<TlsMaterial, 'minVersion' | 'ciphers'> {
  /** The certificate of the next connection: the same object until it changes; undefined while there is none. */
  certificate(): ServingCertificate | undefined;
  /** The CAs of client certificates. Default: client certificates are not requested. */
  clientCAFile?: string;
  clock?: Clock;
  logger?: Logger;
}

/** Minimum interval between checks of the file of client CAs in milliseconds. */
const checkIntervalMs = 1_000;

/**
 * Combines a serving certificate with the file of client CAs, which may be replaced. The file is checked when a client connects, without a
 * background task; while it is invalid the previous content is used. The first call throws `CertificateUnusable` for invalid material.
 */
export function createTlsSource(options: TlsSourceOptions): TlsSource {
  const { certificate, clientCAFile, minVersion, ciphers, clock = systemClock, logger = silentLogger } = options;
  const clientCA = clientCAFile === undefined ? () => undefined : createReloadedCA(clientCAFile, clock, logger);
  let current: { material: TlsMaterial; used: ServingCertificate | undefined } | undefined;

  return () => {
    const used = certificate();
    const authority = clientCA();
    if (current !== undefined && current.used === used && current.material.clientCA === authority) return current.material;
    const material = {
      ...(used && { cert: used.cert, key: used.key }),
      ...(authority !== undefined && { clientCA: authority }),
      ...(minVersion && { minVersion }),
      ...(ciphers && { ciphers }),
    };
    try {
      createSecureContext(secureContext(material));
    } catch (cause) {
      throw unusable(errorMessage(cause), cause);
    }
    current = { material, used };
    return material;
  };
}

/** The content of a file of CA certificates, read again when it changes. */
function createReloadedCA(path: string, clock: Clock, logger: Logger): () => string {
  let current: string | undefined;
  let loadedStamp = '';
  let checkedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock.monotonic();
    if (current !== undefined && now - checkedAt < checkIntervalMs) return current;
    checkedAt = now;
    const stamp = stampOf(path);
    if (current !== undefined && stamp === loadedStamp) return current;
    try {
      current = readCA(path);
      loadedStamp = stamp;
    } catch (error) {
      if (current === undefined) throw error;
      logger.warn({ err: error }, 'cannot load the new client CA, keeping the previous one');
    }
    return current;
  };
}

function readCA(path: string): string {
  try {
    const text = readFileSync(path, 'utf8');
    new X509Certificate(text);
    return text;
  } catch (cause) {
    throw unusable(`${path}: ${errorMessage(cause)}`, cause, { path });
  }
}

function unusable(message: string, cause: unknown, details?: { path: string }): NodeAgentError {
  return new NodeAgentError(serverErrorCodes.certificateUnusable, message, { details, cause });
}

/** Changes with the file. */
function stampOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.ino}:${stat.mtimeNs}:${stat.size}`;
}
