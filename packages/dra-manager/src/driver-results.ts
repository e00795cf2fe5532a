import type { DriverClaim, PreparedDevice } from './claim-info.js';

/** A driver's result for one claim; a non-empty `error` means that it failed. */
export interface DriverResult {
  error: string;
  /** Empty in the response to NodeUnprepareResources. */
  devices: readonly PreparedDevice[];
}

export type DriverMethod = 'NodePrepareResources' | 'NodeUnprepareResources';

/** Throws an Error unless the driver succeeded for exactly the claims of the request. */
export function checkDriverResults(method: DriverMethod, claims: readonly DriverClaim[], results: ReadonlyMap<string, DriverResult>): void {
  const names = new Map(claims.map(({ uid, name }) => [uid, name]));
  for (const [uid, { error }] of results) {
    const name = names.get(uid);
    if (name === undefined) throw new Error(`${method} returned a result for unknown claim UID ${uid}`);
    if (error !== '') throw new Error(`${method} failed for ResourceClaim ${name}: ${error}`);
  }
  const skipped = claims.length - results.size;
  if (skipped > 0) throw new Error(`${method} skipped ${skipped} ResourceClaims`);
}
