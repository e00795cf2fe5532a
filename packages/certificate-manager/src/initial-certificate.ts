import { type CertificateFacts, isUnexpired } from './rotation-deadline.js';

/** The certificate that a manager starts with, and whether it must rotate it at once. */
export interface InitialCertificate<Pair> {
  pair: Pair | undefined;
  forceRotation: boolean;
  /** Whether the pair is that of the bootstrap, which the store does not have. */
  isBootstrap: boolean;
}

/** Chooses the stored certificate unless it is missing or expired, else that of the bootstrap. */
export function chooseInitialCertificate<Pair extends { facts: CertificateFacts }>(
  stored: Pair | undefined,
  bootstrap: Pair | undefined,
  now: number,
): InitialCertificate<Pair> {
  if (stored !== undefined && isUnexpired(stored.facts, now)) return { pair: stored, forceRotation: false, isBootstrap: false };
  if (bootstrap !== undefined) return { pair: bootstrap, forceRotation: true, isBootstrap: true };
  return { pair: stored, forceRotation: true, isBootstrap: false };
}

/** The files that exist in the folder of certificates. */
export interface StoredFiles {
  /** Whether the target of `<prefix>-current.pem` exists. */
  current: boolean;
  /** Whether both configured files exist; false without any. */
  configured: boolean;
  /** Whether `<prefix>.crt` and `<prefix>.key` exist. */
  default: boolean;
}

/** The files to load: first those that a rotation wrote. Undefined if there are none. */
export function chooseStoredFiles(files: StoredFiles): keyof StoredFiles | undefined {
  return (['current', 'configured', 'default'] as const).find((kind) => files[kind]);
}
