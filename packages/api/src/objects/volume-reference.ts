/** The kinds of API objects that a source can refer to; `ephemeralClaim` is a claim that is created for the pod. */
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

/** A reference of a source to an API object. */
export interface VolumeReference {
  to: VolumeReferenceKind;
  /** The object's name; absent if the source does not set it. */
  name?: string | undefined;
  /** The field of the source, such as `secretRef`; absent for the source itself. */
  field?: string;
}
