import { readFileSync } from 'node:fs';
import { lstat, rename, stat, symlink, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, errorCode, errorMessage, invalidOption, NodeAgentError, systemClock } from '@nodeagent/api';
import { replaceFile } from '@nodeagent/api/files';
import { type CertificatePair, parseCertificatePair } from './certificate-pair.js';
import type { CertificateStore } from './certificate-store.js';
import { certificateManagerErrorCodes } from './errors.js';
import { chooseStoredFiles } from './initial-certificate.js';
import { pairFileName } from './pair-file-name.js';

export interface CertificateFileStoreOptions {
  /** The folder of certificates; the kubelet's is `/var/lib/kubelet/pki`. Created with mode 0755. */
  directory: string;
  /** `kubelet-client` or `kubelet-server`. */
  prefix: string;
  /** Files to start with until a rotation stores a pair. Default: `<prefix>.crt` and `<prefix>.key` in the folder. */
  certFile?: string;
  keyFile?: string;
  /** Clock of the names of files. Default: the system clock. */
  clock?: Clock;
}

/** Mode of the folder of certificates; the files have mode 0600. */
const folderMode = 0o755;

/**
 * The kubelet's files: each pair is one file, such as `kubelet-client-2026-05-01-12-00-00.pem`, and the symbolic link
 * `kubelet-client-current.pem` leads to the newest. Old files are kept, because other programs may read them.
 */
export function createCertificateFileStore(options: CertificateFileStoreOptions): CertificateStore {
  const { prefix, certFile, keyFile, clock = systemClock } = options;
  if (typeof options.directory !== 'string' || options.directory === '') throw invalidOption('directory', 'a path', options.directory);
  if (!/^[\w-]+$/.test(prefix)) throw invalidOption('prefix', 'a name of letters, digits and dashes', prefix);
  if ((certFile === undefined) !== (keyFile === undefined)) throw invalidOption('keyFile', 'set if certFile is, and only then', keyFile);
  // The target of the link is absolute.
  const directory = resolve(options.directory);
  const inFolder = (name: string) => join(directory, name);
  const [currentPath, updatedPath] = [inFolder(`${prefix}-current.pem`), inFolder(`${prefix}-updated.pem`)];
  const files = {
    current: [currentPath, currentPath],
    configured: [certFile ?? '', keyFile ?? ''],
    default: [inFolder(`${prefix}.crt`), inFolder(`${prefix}.key`)],
  } as const;

  /** Finishes an update that was interrupted between the removal of the old link and the rename of the new one. */
  async function recover(): Promise<void> {
    if (!(await exists(currentPath)) && (await isLink(updatedPath))) await rename(updatedPath, currentPath);
  }

  const bothExist = async ([cert, key]: readonly [string, string]) => (await exists(cert)) && (await exists(key));

  return {
    async current() {
      await recover();
      const chosen = chooseStoredFiles({
        current: await exists(currentPath),
        configured: certFile !== undefined && (await bothExist(files.configured)),
        default: await bothExist(files.default),
      });
      return chosen === undefined ? undefined : loadPair(...files[chosen]);
    },

    async update({ cert, key }) {
      const path = inFolder(pairFileName(prefix, clock.now()));
      await replaceFile(path, `${cert.trimEnd()}\n${key.trimEnd()}\n`, folderMode);
      loadPair(path, path);
      await requireLink(currentPath);
      await requireLink(updatedPath);
      await unlink(updatedPath).catch(ignoreMissing);
      await symlink(path, updatedPath);
      // A rename replaces the link atomically: readers never find it missing.
      await rename(updatedPath, currentPath);
    },
  };
}

/** Loads a pair from a certificate file and a key file, which may be one. Throws `CertificateUnusable`. */
export function loadPair(certPath: string, keyPath: string): CertificatePair {
  try {
    return parseCertificatePair(readFileSync(certPath, 'utf8'), readFileSync(keyPath, 'utf8'));
  } catch (cause) {
    throw unusable(certPath, `could not load the certificate and key of ${certPath}: ${errorMessage(cause)}`, cause);
  }
}

function unusable(path: string, message: string, cause?: unknown): NodeAgentError {
  return new NodeAgentError(certificateManagerErrorCodes.certificateUnusable, message, { details: { path }, cause });
}

async function requireLink(path: string): Promise<void> {
  if ((await statOf(lstat(path))) === undefined || (await isLink(path))) return;
  throw unusable(path, `expected "${path}" to be a symlink but it is a file`);
}

/** Follows links: one that leads nowhere does not exist. */
const exists = async (path: string) => (await statOf(stat(path))) !== undefined;
const isLink = async (path: string) => (await statOf(lstat(path)))?.isSymbolicLink() ?? false;
const statOf = <T>(inspected: Promise<T>) => inspected.catch(ignoreMissing);

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}
