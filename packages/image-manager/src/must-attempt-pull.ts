import type { ServiceAccountCoordinates } from './credentials.js';
import {
  type ImagePullCredentials,
  type ImagePulledRecord,
  type RecordedSecret,
  recordedCredentials,
  sameCoordinates,
} from './pull-record.js';

/** Maximum number of secrets recorded for an image. */
const maxRecordedSecrets = 100;

/** The credentials of a pod for an image. */
export interface PodCredentials {
  secrets: readonly RecordedSecret[];
  serviceAccount?: ServiceAccountCoordinates;
}

/** Why a pod may or may not use a present image without pulling it; the label `result` of the metric. */
export type MustPullReason = 'credentialPolicyAllowed' | 'credentialRecordFound' | 'mustAuthenticate' | 'error';

/** The result of the record check: a decision, or that the pod's credentials must be compared. */
export type RecordVerdict = { mustPull: boolean; reason: MustPullReason } | { compareWith: ImagePullCredentials };

/** Decides by a present image's record whether a pod may use it, before the pod's credentials are fetched. */
export function checkPullRecord(image: string, record: ImagePulledRecord | undefined, requiresVerification: boolean): RecordVerdict {
  if (!requiresVerification) return { mustPull: false, reason: 'credentialPolicyAllowed' };
  const recorded = record && recordedCredentials(record, image);
  if (recorded === undefined) return { mustPull: true, reason: 'mustAuthenticate' };
  if (recorded.nodePodsAccessible) return { mustPull: false, reason: 'credentialRecordFound' };
  const count = (recorded.kubernetesSecrets?.length ?? 0) + (recorded.kubernetesServiceAccounts?.length ?? 0);
  return count === 0 ? { mustPull: true, reason: 'mustAuthenticate' } : { compareWith: recorded };
}

/**
 * Whether a pod's credentials are among the recorded ones: a secret with the same hash, the same secret with a new hash, or the same service
 * account. `remember` is a secret to add to the record.
 */
export function matchPodCredentials(
  recorded: ImagePullCredentials,
  { secrets, serviceAccount }: PodCredentials,
): { matches: boolean; remember?: RecordedSecret } {
  const known = recorded.kubernetesSecrets ?? [];
  const mayRemember = known.length < maxRecordedSecrets;
  for (const secret of secrets) {
    for (const each of known) {
      const sameHash = each.credentialHash !== '' && each.credentialHash === secret.credentialHash;
      const sameSecret = sameCoordinates(each, secret);
      if (sameHash) return { matches: true, ...(!sameSecret && mayRemember && { remember: secret }) };
      if (sameSecret && mayRemember) return { matches: true, remember: secret };
    }
  }
  const matches =
    serviceAccount !== undefined && (recorded.kubernetesServiceAccounts ?? []).some((each) => sameCoordinates(each, serviceAccount));
  return { matches };
}
