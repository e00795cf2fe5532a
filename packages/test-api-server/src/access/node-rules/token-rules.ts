import type { CSIDriver, PersistentVolume, PersistentVolumeClaim, Pod, TokenRequest, Volume } from '@nodeagent/api';
import { volumeClaimName } from '@nodeagent/api/helpers';
import { notFound } from '../../status.js';
import type { AdmissionRequest } from '../admission-request.js';
import type { ClusterFacts, NodeRule } from './node-rule.js';

const specOf = ({ object }: AdmissionRequest) => (object as Partial<TokenRequest>).spec;
const refOf = (write: AdmissionRequest) => specOf(write)?.boundObjectRef ?? {};

export const boundToPod: NodeRule = (write) => {
  const { apiVersion, kind, name } = refOf(write);
  return apiVersion === 'v1' && kind === 'Pod' && name ? undefined : 'node requested token not bound to a pod';
};

export const boundByUid: NodeRule = (write) => (refOf(write).uid ? undefined : 'node requested token with a pod binding without a uid');

export const boundToPodOfNode: NodeRule = (write, node, cluster) => {
  const { uid } = refOf(write);
  const pod = podOf(write, cluster);
  if (uid !== pod.metadata?.uid)
    return `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
  return pod.spec?.nodeName === node ? undefined : 'node requested token bound to a pod scheduled on a different node';
};

/** Source: Kubernetes documentation, feature gate ServiceAccountNodeAudienceRestriction. */
export const audienceOfPod: NodeRule = (write, _node, cluster) => {
  const audiences = specOf(write)?.audiences ?? [];
  if (audiences.length > 1) return 'node may only request 0 or 1 audiences';
  const [audience = ''] = audiences;
  const pod = podOf(write, cluster);
  const found = (pod.spec?.volumes ?? []).map((volume) => audiencesOf(pod, volume, cluster));
  if (found.some((each) => typeof each === 'object' && each.includes(audience))) return undefined;
  const missing = found.filter((each) => typeof each === 'string');
  if (missing.length > 0) {
    return `error validating audience "${audience}": ${missing.length === 1 ? missing[0] : `[${missing.join(', ')}]`}`;
  }
  const { user, name, namespace } = write;
  const verb = 'request-serviceaccounts-token-audience';
  if (cluster.isGranted({ user, verb, isResource: true, group: '', resource: audience, name, ...(namespace && { namespace }) }))
    return undefined;
  return `audience "${audience}" not found in pod spec volume, ${user.username} is not authorized to request tokens for this audience`;
};

function podOf(write: AdmissionRequest, cluster: ClusterFacts): Pod {
  const { name = '' } = refOf(write);
  const pod = cluster.get('/pods', write.namespace, name);
  if (pod === undefined) throw notFound({ kind: 'pod', name });
  return pod as Pod;
}

/**
 * The audiences that a volume needs tokens for: those of its projections and of its CSI driver; '' for that of the API server. A text: what is
 * missing, so that they are not known.
 */
function audiencesOf(pod: Pod, volume: Volume, cluster: ClusterFacts): readonly string[] | string {
  const projections = volume.projected?.sources ?? [];
  const projected = projections.flatMap(({ serviceAccountToken }) => (serviceAccountToken ? [serviceAccountToken.audience ?? ''] : []));
  const { driver, missing } = driverOf(pod, volume, cluster);
  if (driver === undefined) return missing ?? projected;
  const object = cluster.get('storage.k8s.io/csidrivers', undefined, driver) as CSIDriver | undefined;
  if (object === undefined) return `csidriver.storage.k8s.io "${driver}" not found`;
  return [...projected, ...(object.spec?.tokenRequests ?? []).map(({ audience }) => audience)];
}

/** The CSI driver of an inline volume or of the persistent volume of a claim, or what is missing to know it. */
function driverOf(pod: Pod, volume: Volume, cluster: ClusterFacts): { driver?: string | undefined; missing?: string } {
  if (volume.csi) return { driver: volume.csi.driver };
  const claimName = volumeClaimName(pod, volume);
  if (claimName === undefined) return {};
  const claim = cluster.get('/persistentvolumeclaims', pod.metadata?.namespace, claimName) as PersistentVolumeClaim | undefined;
  if (claim === undefined) return { missing: `persistentvolumeclaim "${claimName}" not found` };
  const volumeName = claim.spec?.volumeName ?? '';
  const persistent = cluster.get('/persistentvolumes', undefined, volumeName) as PersistentVolume | undefined;
  return persistent ? { driver: persistent.spec?.csi?.driver } : { missing: `persistentvolume "${volumeName}" not found` };
}
