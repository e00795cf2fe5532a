import type { Pod, Toleration } from '@nodeagent/api';
import { configHashAnnotation } from '@nodeagent/api/helpers';
import { stableDigest } from './digest.js';

/** The origin of a manifest, and its node. */
export type ManifestOrigin =
  | {
      source: 'file';
      /** The file's path; it is part of generated UIDs. */
      file: string;
      nodeName: string;
    }
  | {
      source: 'http';
      /** The URL; it is part of generated UIDs. */
      url: string;
      nodeName: string;
    };

/**
 * The UID of a pod whose manifest has none. It depends only on the manifest's content, its path or URL, and the node. `decoded` is the pod
 * before defaults, so that an agent version with other defaults does not restart pods.
 */
export function staticPodUid(decoded: Pod, origin: ManifestOrigin): string {
  return origin.source === 'file'
    ? stableDigest(decoded, `host:${origin.nodeName}`, `file:${origin.file}`)
    : stableDigest(decoded, `url:${origin.url}`);
}

/**
 * Converts a decoded pod to a static pod: UID, name with the node's name behind it, namespace, node, hash annotation, phase `Pending`; pods
 * from files tolerate every `NoExecute` taint. Source: Kubernetes documentation, "Create static Pods". Changes the pod in place.
 */
export function applyStaticPodDefaults(pod: Pod, uid: string, origin: ManifestOrigin): void {
  const metadata = pod.metadata ?? {};
  pod.metadata = {
    ...metadata,
    uid,
    name: `${metadata.name}-${origin.nodeName.toLowerCase()}`,
    namespace: metadata.namespace || 'default',
    annotations: { ...metadata.annotations, [configHashAnnotation]: uid },
  };
  pod.status = { phase: 'Pending' };
  if (pod.spec === undefined) return;
  pod.spec.nodeName = origin.nodeName;
  if (origin.source === 'file')
    pod.spec.tolerations = withToleration(pod.spec.tolerations ?? [], { operator: 'Exists', effect: 'NoExecute' });
}

/** Adds the toleration, replacing those with the same key, operator, value and effect. */
function withToleration(tolerations: readonly Toleration[], added: Toleration): Toleration[] {
  const same = (toleration: Toleration) =>
    (toleration.key ?? '') === (added.key ?? '') &&
    (toleration.operator ?? '') === (added.operator ?? '') &&
    (toleration.value ?? '') === (added.value ?? '') &&
    (toleration.effect ?? '') === (added.effect ?? '');
  return tolerations.some(same) ? tolerations.map((toleration) => (same(toleration) ? added : toleration)) : [...tolerations, added];
}
