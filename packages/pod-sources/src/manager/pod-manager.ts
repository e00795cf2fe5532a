import type { Pod } from '@nodeagent/api';
import { isMirrorPod, isStaticPod, podFullName, podUid } from '@nodeagent/api/helpers';

/** All pods and mirror pods of the node, as {@link PodManager.podsAndMirrorPods} returns them. */
export interface AllPods {
  pods: Pod[];
  mirrorPods: Pod[];
  /** Full names (`<name>_<namespace>`) of mirror pods without a static pod. */
  orphanedMirrorPodFullNames: string[];
}

/** A pod and its mirror pod. */
export interface PodAndMirrorPod {
  pod?: Pod;
  mirrorPod?: Pod;
  /** Whether the given pod was the mirror pod. */
  wasMirror: boolean;
}

/**
 * The desired pods of the node, and the mirror pods of static pods. A static pod and its mirror pod have the same full name. All calls are
 * answered from memory. Lists are copies, pods are not. Source: Kubernetes documentation, "Static Pods".
 */
export interface PodManager {
  /** Replaces all pods by `pods`. */
  setPods(pods: readonly Pod[]): void;
  /** Adds the pod or replaces the one with its UID. */
  addPod(pod: Pod): void;
  updatePod(pod: Pod): void;
  /** Removes the pod; ignores an unknown one. */
  removePod(pod: Pod): void;
  /** Without mirror pods. */
  pods(): Pod[];
  podsAndMirrorPods(): AllPods;
  podByUid(uid: string): Pod | undefined;
  podByName(namespace: string, name: string): Pod | undefined;
  podByFullName(fullName: string): Pod | undefined;
  /** The mirror of a static pod. */
  mirrorPodByPod(pod: Pod): Pod | undefined;
  /** The static pod of a mirror. */
  podByMirrorPod(mirrorPod: Pod): Pod | undefined;
  podAndMirrorPod(pod: Pod): PodAndMirrorPod;
  /** Translates a mirror pod's UID to that of its static pod; returns any other UID unchanged. */
  translatePodUid(uid: string): string;
  /** `podToMirror` has an empty string for a static pod without a mirror pod. */
  uidTranslations(): { podToMirror: Map<string, string>; mirrorToPod: Map<string, string> };
}

export function createPodManager(): PodManager {
  let podsByUid = new Map<string, Pod>();
  let podsByFullName = new Map<string, Pod>();
  let mirrorsByUid = new Map<string, Pod>();
  let mirrorsByFullName = new Map<string, Pod>();
  let podUidOfMirror = new Map<string, string>();

  const put = (pod: Pod) => {
    const fullName = podFullName(pod);
    const mirror = isMirrorPod(pod) ? pod : mirrorsByFullName.get(fullName);
    if (isMirrorPod(pod)) {
      mirrorsByUid.set(podUid(pod), pod);
      mirrorsByFullName.set(fullName, pod);
    } else {
      podsByUid.set(podUid(pod), pod);
      podsByFullName.set(fullName, pod);
    }
    const own = podsByFullName.get(fullName);
    if (mirror !== undefined && own !== undefined) podUidOfMirror.set(podUid(mirror), podUid(own));
  };

  const mirrorPodByPod = (pod: Pod) => mirrorsByFullName.get(podFullName(pod));
  const podByMirrorPod = (mirrorPod: Pod) => podsByFullName.get(podFullName(mirrorPod));

  return {
    setPods(pods) {
      podsByUid = new Map();
      podsByFullName = new Map();
      mirrorsByUid = new Map();
      mirrorsByFullName = new Map();
      podUidOfMirror = new Map();
      for (const pod of pods) put(pod);
    },
    addPod: put,
    updatePod: put,
    removePod(pod) {
      const [uid, fullName] = [podUid(pod), podFullName(pod)];
      if (isMirrorPod(pod)) {
        mirrorsByUid.delete(uid);
        mirrorsByFullName.delete(fullName);
        podUidOfMirror.delete(uid);
      } else {
        podsByUid.delete(uid);
        podsByFullName.delete(fullName);
      }
    },
    pods: () => [...podsByUid.values()],
    podsAndMirrorPods: () => ({
      pods: [...podsByUid.values()],
      mirrorPods: [...mirrorsByUid.values()],
      orphanedMirrorPodFullNames: [...mirrorsByFullName.keys()].filter((fullName) => !podsByFullName.has(fullName)),
    }),
    podByUid: (uid) => podsByUid.get(uid),
    podByName: (namespace, name) => podsByFullName.get(`${name}_${namespace}`),
    podByFullName: (fullName) => podsByFullName.get(fullName),
    mirrorPodByPod,
    podByMirrorPod,
    podAndMirrorPod(pod) {
      if (isMirrorPod(pod)) return { pod: podByMirrorPod(pod), mirrorPod: pod, wasMirror: true };
      return { pod, mirrorPod: mirrorPodByPod(pod), wasMirror: false };
    },
    translatePodUid: (uid) => podUidOfMirror.get(uid) ?? uid,
    uidTranslations() {
      const podToMirror = new Map<string, string>();
      for (const [uid, pod] of podsByUid) if (isStaticPod(pod)) podToMirror.set(uid, '');
      for (const [mirrorUid, uid] of podUidOfMirror) podToMirror.set(uid, mirrorUid);
      return { podToMirror, mirrorToPod: new Map(podUidOfMirror) };
    },
  };
}
