/** The objects of the API that a source can refer to; `ephemeralClaim` is the claim that is made for the pod. */
export type VolumeReferenceKind =
  | 'secret'
  | 'configMap'
  | 'csiDriver'
  | 'endpoints'
  | 'persistentVolumeClaim'
  | 'ephemeralClaim'
  | 'serviceAccount'
  | 'clusterTrustBundle'
  | 'podCertificate';

/** What a source refers to in the API. */
export interface VolumeReference {
  to: VolumeReferenceKind;
  /** The object's name; absent if the source names none. */
  name?: string | undefined;
  /** The field of the source, such as `secretRef`; absent for the source itself. */
  field?: string;
}
