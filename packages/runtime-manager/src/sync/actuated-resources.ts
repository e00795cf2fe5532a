import { type Container, type Logger, type Pod, type ResourceList, type ResourceRequirements, silentLogger } from '@nodeagent/api';
import { podUid } from '@nodeagent/api/helpers';
import type { ActuatedState, ActuatedStateStore } from './actuated-state.js';

/** The resources last applied to one pod. */
interface ActuatedPodResources {
  /** By container name. */
  actuated: ReadonlyMap<string, ResourceRequirements>;
  /** The pod-level ones, if the pod has any. */
  actuatedPod?: ResourceRequirements;
}

/** The resources last applied to running pods and their containers. */
export interface ActuatedResources {
  /** Reads the saved state once. Await it before calling any other method. Never rejects. */
  load(): Promise<void>;
  get(podUid: string, containerName: string): ResourceRequirements | undefined;
  /** The resources last applied to the pod and its containers. Without a record the resources of the spec count as applied. */
  ofPod(pod: Pod): ActuatedPodResources;
  set(podUid: string, containerName: string, resources: ResourceRequirements): void;
  setPodLevel(podUid: string, resources: ResourceRequirements): void;
  /** Grows with each `set` and `setPodLevel`. Take it before the runtime's pods are listed, for {@link retain}. */
  revision(): number;
  /**
   * Forgets the pods that are not in `podUids` and have not been set since that revision. A pod that started after the listing is not
   * in `podUids`, but was set since.
   */
  retain(podUids: ReadonlySet<string>, since: number): void;
  /** Resolves when all changes so far are saved or their save has failed. */
  saved(): Promise<void>;
}

/** Without a store the state is kept in memory only. Saves run one at a time; at most the newest state is queued. */
export function createActuatedResources(store?: ActuatedStateStore, logger: Logger = silentLogger): ActuatedResources {
  const state = new Map<string, ActuatedState[string]>();
  /** By pod UID; absent for what was loaded. */
  const revisions = new Map<string, number>();
  let revision = 0;
  let loading: Promise<void> | undefined;
  let saving: Promise<void> | undefined;
  let dirty = false;

  const ofUid = (uid: string) => {
    const known = state.get(uid) ?? { containers: {} };
    state.set(uid, known);
    revisions.set(uid, ++revision);
    return known;
  };
  const load = async () => {
    try {
      for (const [uid, pod] of Object.entries((await store?.load()) ?? {})) state.set(uid, pod);
    } catch (error) {
      logger.warn({ err: error }, 'cannot read the applied resources, using those of the pod specs');
    }
  };
  const save = async () => {
    while (dirty && store) {
      dirty = false;
      try {
        await store.save(Object.fromEntries(state));
      } catch (error) {
        logger.warn({ err: error }, 'cannot save the applied resources');
      }
    }
    saving = undefined;
  };
  const changed = () => {
    dirty = true;
    saving ??= Promise.resolve().then(save);
  };

  return {
    load() {
      loading ??= load();
      return loading;
    },
    get: (uid, name) => state.get(uid)?.containers[name],
    ofPod(pod) {
      const known = state.get(podUid(pod));
      const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
      // A pod that started without pod-level resources has a record without them.
      const actuatedPod = known ? known.pod : pod.spec?.resources;
      return {
        actuated: new Map(
          containers.map((container) => [container.name, known?.containers[container.name] ?? appliedResources(pod, container)]),
        ),
        ...(actuatedPod && { actuatedPod }),
      };
    },
    set(uid, name, resources) {
      const { containers } = ofUid(uid);
      if (JSON.stringify(containers[name]) === JSON.stringify(resources)) return;
      containers[name] = resources;
      changed();
    },
    setPodLevel(uid, resources) {
      const known = ofUid(uid);
      if (JSON.stringify(known.pod) === JSON.stringify(resources)) return;
      known.pod = resources;
      changed();
    },
    revision: () => revision,
    retain(podUids, since) {
      for (const uid of [...state.keys()]) {
        if (podUids.has(uid) || (revisions.get(uid) ?? 0) > since) continue;
        state.delete(uid);
        revisions.delete(uid);
        changed();
      }
    },
    saved: async () => saving,
  };
}

/** The resources that a container starts with: its requests and limits. Limits that it does not set are the pod-level ones. */
export function appliedResources(pod: Pod, { resources }: Pick<Container, 'resources'>): ResourceRequirements {
  const { cpu, memory } = pod.spec?.resources?.limits ?? {};
  const limits: ResourceList = { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }), ...resources?.limits };
  return {
    ...(resources?.requests && { requests: resources.requests }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}
