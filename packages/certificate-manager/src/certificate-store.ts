import type { CertificatePair } from './certificate-pair.js';

/** Where a certificate and its key are kept. Calls do not overlap. */
export interface CertificateStore {
  /** The stored pair; undefined without one. Rejects with `CertificateUnusable` if it cannot be read. */
  current(): Promise<CertificatePair | undefined>;
  /** Stores a pair durably. Readers get either the old or the new pair, also after a crash. */
  update(pair: CertificatePair): Promise<void>;
}

/** A store in memory. */
export function createMemoryCertificateStore(pair?: CertificatePair): CertificateStore {
  let stored = pair;
  return {
    current: async () => stored,
    async update(updated) {
      stored = updated;
    },
  };
}
