import type { Pod, ProjectedVolumeSource, VolumeProjection } from '@nodeagent/api';
import { encodeUtf8, podUid } from '@nodeagent/api/helpers';
import { downwardApiPayload } from './downward-api-payload.js';
import { fetchConfigMap, fetchSecret } from './fetch-object.js';
import { configMapPayload, secretPayload } from './object-payload.js';
import { type FileProjection, type Payload, payloadError, requireDefaultMode, throwIfAny } from './payload.js';
import type { PayloadSources } from './payload-sources.js';

/** The pod and volume of a projection. */
export interface ProjectionContext {
  pod: Pod;
  volumeName: string;
  fsUser?: number | undefined;
  fsGroup?: number | undefined;
  signal: AbortSignal;
}

/**
 * The files of all sources; a later source overwrites files of an earlier one. Rejects with one error for all failed sources.
 * Kubernetes documentation, "Projected Volumes".
 */
export async function projectedPayload(
  { sources, ...modes }: ProjectedVolumeSource,
  ports: PayloadSources,
  context: ProjectionContext,
): Promise<Payload> {
  const defaultMode = requireDefaultMode(modes.defaultMode);
  if (ports.configured === false) {
    throw payloadError(`cannot setup projected volume ${context.volumeName} because kube client is not configured`);
  }
  const payload: Payload = new Map();
  const errors: unknown[] = [];
  for (const [index, source] of (sources ?? []).entries()) {
    try {
      for (const [path, file] of await sourcePayload(source, index, defaultMode, ports, context)) payload.set(path, file);
    } catch (error) {
      context.signal.throwIfAborted();
      errors.push(error);
    }
  }
  throwIfAny(errors);
  return payload;
}

async function sourcePayload(
  source: VolumeProjection,
  index: number,
  defaultMode: number,
  ports: PayloadSources,
  context: ProjectionContext,
): Promise<Payload> {
  const { pod, volumeName, signal } = context;
  const namespace = pod.metadata?.namespace ?? '';
  const { secret, configMap, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (secret) {
    const { name = '', items, optional = false } = secret;
    return secretPayload(await fetchSecret(ports, { namespace, name, optional, signal }), { items, optional, defaultMode });
  }
  if (configMap) {
    const { name = '', items, optional = false } = configMap;
    return configMapPayload(await fetchConfigMap(ports, { namespace, name, optional, signal }), { items, optional, defaultMode });
  }
  if (downwardAPI) return downwardApiPayload({ items: downwardAPI.items, defaultMode }, pod, () => ports.nodeAllocatable?.() ?? {});
  const credential = credentialFile(defaultMode, context);
  if (serviceAccountToken) return new Map([[serviceAccountToken.path, credential(await token(serviceAccountToken, ports, context))]]);
  if (clusterTrustBundle) {
    return new Map([[clusterTrustBundle.path, credential(await trustBundle(clusterTrustBundle, ports, signal))]]);
  }
  if (podCertificate) {
    if (!ports.getPodCertificate) throw payloadError('pod certificates are not enabled on this node');
    const { key, chain } = await ports.getPodCertificate(pod, volumeName, index, signal);
    const { credentialBundlePath, keyPath, certificateChainPath } = podCertificate;
    const payload: Payload = new Map();
    if (credentialBundlePath) payload.set(credentialBundlePath, credential(key + chain));
    if (keyPath) payload.set(keyPath, credential(key));
    if (certificateChainPath) payload.set(certificateChainPath, credential(chain));
    return payload;
  }
  return new Map();
}

/** Mode and owner of credentials: readable by the pod's user only, if it has one. With an `fsGroup`, {@link setVolumeOwnership} adds access later. */
function credentialFile(defaultMode: number, { fsUser, fsGroup }: ProjectionContext): (text: string) => FileProjection {
  const mode = fsUser !== undefined || fsGroup !== undefined ? 0o600 : defaultMode;
  return (text) => ({ data: encodeUtf8(text), mode, ...(fsUser !== undefined && { fsUser }) });
}

async function token(
  { audience, expirationSeconds = 3600 }: NonNullable<VolumeProjection['serviceAccountToken']>,
  { getServiceAccountToken }: PayloadSources,
  { pod, signal }: ProjectionContext,
): Promise<string> {
  if (!getServiceAccountToken) throw payloadError('no getter for service account tokens is configured');
  const { name = '', namespace = '' } = pod.metadata ?? {};
  const spec = {
    audiences: audience ? [audience] : [],
    expirationSeconds,
    boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid: podUid(pod) },
  };
  return getServiceAccountToken(namespace, pod.spec?.serviceAccountName ?? '', spec, signal);
}

async function trustBundle(
  { name, signerName, labelSelector, optional = false }: NonNullable<VolumeProjection['clusterTrustBundle']>,
  { trustBundles }: PayloadSources,
  signal: AbortSignal,
): Promise<string> {
  if (name === undefined && signerName === undefined) {
    throw payloadError('ClusterTrustBundle projection requires either name or signerName to be set');
  }
  if (!trustBundles) throw payloadError('cluster trust bundles are not enabled on this node');
  return name !== undefined
    ? trustBundles.byName(name, optional, signal)
    : trustBundles.bySigner(signerName ?? '', labelSelector, optional, signal);
}
