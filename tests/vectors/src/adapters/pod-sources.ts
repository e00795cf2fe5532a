import type { Pod } from '@nodeagent/api';
import { isMirrorPodOf } from '@nodeagent/api/helpers';
import { createPodManager, decodeManifest, podSourcesErrorCodes } from '@nodeagent/pod-sources';
import {
  createManifestReader,
  emptyFileSourceState,
  type FileSourceResult,
  type FileSourceStep,
  type ManifestFileSystem,
  mergeSource,
  nextFileSourceState,
  type PodConfigState,
  readChange,
  scanPath,
} from '@nodeagent/pod-sources/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';
import { configSeen, generatedUid, manifestErrorText, removedPodOrder, sharedMirrors } from '../masks.js';

export const podSourcesAdapters: Adapter[] = [
  defineAdapter('static-pod-decode', decode, { emptyIsAbsent: true, masks: [manifestErrorText, generatedUid] }),
  // "Nothing sent" and "an empty list sent" differ.
  defineAdapter('file-source', replayFileSource, { nullIsAbsent: false }),
  defineAdapter('pod-config-merge', replayMerge, { emptyIsAbsent: true, masks: [removedPodOrder, configSeen] }),
  defineAdapter('pod-manager', replayPodManager, { masks: [sharedMirrors] }),
];

interface DecodeInput {
  manifest: string;
  nodeName: string;
  source: string;
  isFile: boolean;
}

async function decode({ manifest, nodeName, source, isFile }: DecodeInput) {
  const [document] = await decodeManifest(
    manifest,
    isFile ? { source: 'file', file: source, nodeName } : { source: 'http', url: source, nodeName },
  );
  if (document?.error === undefined) return { parsed: true, pod: document?.pod };
  const { code, details, message } = document.error;
  return { parsed: code !== podSourcesErrorCodes.notAPod, error: details.problem ?? message };
}

interface FileStep {
  op: 'write' | 'remove' | 'mkdir' | 'removeManifestDir' | 'createManifestDir' | 'poll';
  event?: 'create' | 'modify' | 'delete';
  file?: string;
  podName?: string;
  uid?: string;
  invalid?: boolean;
}

interface FileSourceInput {
  pathIs: 'directory' | 'file';
  manifestDirExistsAtStart: boolean;
  nodeName: string;
  steps: FileStep[];
}

/** The recorded steps on a folder in memory, with the kubelet's rule for manifests that became invalid. */
async function replayFileSource({ pathIs, manifestDirExistsAtStart, nodeName, steps }: FileSourceInput) {
  let folder: Map<string, string> | undefined = manifestDirExistsAtStart ? new Map() : undefined;
  let state = emptyFileSourceState;
  const nameOf = (path: string) => path.slice('/m/'.length);
  const files: ManifestFileSystem = {
    async stat(path) {
      const text = folder?.get(nameOf(path));
      return text === undefined ? undefined : { kind: 'file', id: path, size: text.length };
    },
    list: async () => [...(folder?.keys() ?? [])],
    read: async (path) => Buffer.from(folder?.get(nameOf(path)) ?? ''),
  };
  const reader = createManifestReader(files, nodeName);
  const seen = async ({ op, event, file = '' }: FileStep): Promise<FileSourceStep | undefined> => {
    if (op === 'poll' && folder === undefined) return { type: 'missing' };
    if (op === 'poll') return pathIs === 'file' ? scanPath(reader, '/m/pod.yaml', true) : scanPath(reader, '/m', false);
    return event && readChange(reader, `/m/${file}`);
  };
  const results = [];
  for (const step of steps) {
    if (step.op === 'createManifestDir') folder ??= new Map();
    else if (step.op === 'removeManifestDir') folder = undefined;
    else if (step.op === 'write') folder?.set(step.file ?? '', manifestOf(step));
    else if (step.op === 'remove') folder?.delete(step.file ?? '');
    const happened = await seen(step);
    if (happened === undefined) {
      results.push({});
      continue;
    }
    const result: FileSourceResult = nextFileSourceState(state, happened, { keepLastGood: false });
    state = result.state;
    results.push({ error: result.failed, sent: result.pods?.map(describePod).sort() ?? null });
  }
  return { steps: results };
}

function manifestOf({ podName, uid, invalid }: FileStep): string {
  if (invalid) return 'kind: Pod\nspec: [';
  const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: podName, uid }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  return JSON.stringify(pod);
}

const describePod = ({ metadata }: Pod) => `${metadata?.namespace}/${metadata?.name} ${metadata?.uid}`;

function replayMerge({ steps }: { steps: { source: string; pods: Pod[] }[] }) {
  let state: PodConfigState = new Map();
  return {
    steps: steps.map(({ source, pods }) => {
      const merged = mergeSource(state, source, pods, 0);
      state = merged.state;
      const events = merged.warnings.map(({ reason, message }) => `Warning ${reason} ${message}`);
      return { updates: merged.updates, seen: [...state.keys()].sort(), events };
    }),
  };
}

interface PodManagerStep {
  op: 'add' | 'update' | 'remove';
  pod: { name: string; namespace: string; uid: string; annotations?: Record<string, string> };
}

function replayPodManager({ steps }: { steps: PodManagerStep[] }) {
  const manager = createPodManager();
  const uidsSeen = new Set<string>();
  const namesSeen = new Set<string>();
  return {
    steps: steps.map(({ op, pod: metadata }) => {
      const pod: Pod = { metadata };
      if (op === 'add') manager.addPod(pod);
      else if (op === 'update') manager.updatePod(pod);
      else manager.removePod(pod);
      uidsSeen.add(metadata.uid);
      namesSeen.add(`${metadata.name}_${metadata.namespace}`);
      const { pods, mirrorPods, orphanedMirrorPodFullNames } = manager.podsAndMirrorPods();
      const { podToMirror, mirrorToPod } = manager.uidTranslations();
      const byFullName = [...namesSeen].flatMap((name) => {
        const found = manager.podByFullName(name);
        return found ? [[name, found] as const] : [];
      });
      return {
        pods: pods.map(uidOf).sort(),
        mirrorPods: mirrorPods.map(uidOf).sort(),
        orphanedMirrors: orphanedMirrorPodFullNames.sort(),
        byFullName: Object.fromEntries(byFullName.map(([name, found]) => [name, uidOf(found)])),
        mirrors: Object.fromEntries(
          byFullName.flatMap(([name, found]) => {
            const mirror = manager.mirrorPodByPod(found);
            return mirror ? [[name, { mirrorUID: uidOf(mirror), isMirrorPodOf: isMirrorPodOf(mirror, found) }]] : [];
          }),
        ),
        translate: Object.fromEntries(
          [...uidsSeen].flatMap((uid) => (manager.translatePodUid(uid) === uid ? [] : [[uid, manager.translatePodUid(uid)]])),
        ),
        podToMirror: Object.fromEntries(podToMirror),
        mirrorToPod: Object.fromEntries(mirrorToPod),
      };
    }),
  };
}

const uidOf = (pod: Pod) => pod.metadata?.uid ?? '';
