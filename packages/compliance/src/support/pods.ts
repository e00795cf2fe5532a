import type { Pod, PodSpec, PodStatus } from '@nodeagent/api';
import { configHashAnnotation, configMirrorAnnotation, configSourceAnnotation } from '@nodeagent/api/helpers';

/** A pod of the API server with one container `main`; its uid is `uid-<name>`. */
export function suitePod(
  name: string,
  { metadata, spec, status }: { metadata?: object; spec?: Partial<PodSpec>; status?: PodStatus } = {},
): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'compliance', uid: `uid-${name}`, generation: 1, ...metadata },
    spec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 30, containers: [{ name: 'main', image: 'main:1' }], ...spec },
    ...(status && { status }),
  };
}

/** A static pod; equal names with different uids are versions of one pod. */
export function staticPod(name: string, uid = `uid-${name}`): Pod {
  return suitePod(name, { metadata: { uid, annotations: { [configSourceAnnotation]: 'file', [configHashAnnotation]: uid } } });
}

/** The mirror pod of a static pod. */
export function mirrorPodOf(pod: Pod): Pod {
  const annotations = { ...pod.metadata?.annotations, [configMirrorAnnotation]: pod.metadata?.annotations?.[configHashAnnotation] ?? '' };
  return { ...pod, metadata: { ...pod.metadata, uid: `mirror-${pod.metadata?.uid}`, annotations } };
}
