import type { Pod } from '@nodeagent/api';
import { podFullName, podUid } from '@nodeagent/api/helpers';
import type { ManifestDocument } from '../manifest/decode-manifest.js';

/** What the file source keeps between two steps. */
export interface FileSourceState {
  /** The last pods of each file. */
  readonly files: ReadonlyMap<string, readonly Pod[]>;
  /** The pods to run, by full name. */
  readonly store: ReadonlyMap<string, Pod>;
}

export const emptyFileSourceState: FileSourceState = { files: new Map(), store: new Map() };

/** A file as it was just read. A file that cannot be read has one refused document. */
export interface ManifestFile {
  file: string;
  documents: readonly ManifestDocument[];
}

/** A change of the path, or a scan of it. */
export type FileSourceStep =
  /** There is neither file nor folder. */
  | { type: 'missing' }
  /** All files were read, in the order of their names. `single`: the path is a file itself. */
  | { type: 'scan'; single: boolean; files: readonly ManifestFile[] }
  | { type: 'change'; file: ManifestFile }
  | { type: 'delete'; file: string };

/** Two files (or two documents of one) that describe a pod of the same name, or pods of different names with the same UID. */
export interface DuplicatePod {
  /** Of the pod that is ignored. */
  fullName: string;
  /** The shared UID, if the names differ. */
  uid?: string;
  /** The file whose pod is used: the last in the order of names. */
  used: string;
  ignored: string;
}

export interface FileSourceResult {
  state: FileSourceState;
  /** The complete list to emit; undefined to emit nothing. */
  pods?: Pod[];
  /** Whether the path is missing or a manifest is refused; refused manifests in the scan of a folder do not count. */
  failed: boolean;
  /** All current duplicates; with the kubelet's rule only those of a scan. */
  duplicates: DuplicatePod[];
}

export interface FileSourceRules {
  /**
   * Whether the last valid version of a pod keeps running while its manifest is invalid, until the file is deleted or valid again.
   * Default true; false is the kubelet's behaviour, which removes the pod at the next scan.
   */
  keepLastGood?: boolean;
}

/** Applies a step. Source of the rules: Kubernetes documentation, "Create static Pods". */
export function nextFileSourceState(
  state: FileSourceState,
  step: FileSourceStep,
  { keepLastGood = true }: FileSourceRules = {},
): FileSourceResult {
  return keepLastGood ? keepingStep(state, step) : kubeletStep(state, step);
}

function keepingStep(state: FileSourceState, step: FileSourceStep): FileSourceResult {
  switch (step.type) {
    case 'missing':
      return { state: emptyFileSourceState, pods: [], failed: true, duplicates: [] };
    case 'scan': {
      const files = new Map(step.files.map((file) => [file.file, rememberedPods(file, state.files.get(file.file) ?? [])]));
      const failed = step.single && step.files.some(isRefused);
      const result = settled(files, failed);
      const nothingKnown = failed && result.state.store.size === 0;
      return nothingKnown ? { ...result, pods: undefined } : result;
    }
    case 'change': {
      const before = state.files.get(step.file.file) ?? [];
      const pods = rememberedPods(step.file, before);
      const failed = isRefused(step.file);
      if (failed && pods.length === before.length && pods.every((pod, index) => pod === before[index])) {
        return { state, failed, duplicates: storeOf(state.files).duplicates };
      }
      return settled(new Map(state.files).set(step.file.file, pods), failed);
    }
    case 'delete': {
      if (!state.files.has(step.file)) return { state, failed: false, duplicates: storeOf(state.files).duplicates };
      const files = new Map(state.files);
      files.delete(step.file);
      return settled(files, false);
    }
  }
}

/** The pods of a file: those of its valid documents and, for each refused document, the pods of its last valid version. */
function rememberedPods({ documents }: ManifestFile, before: readonly Pod[]): Pod[] {
  const good = goodPods(documents);
  const replaced = new Set(good.map(podFullName));
  const names = new Set(before.map(podFullName));
  const refused = documents.filter((document) => document.error !== undefined);
  // A refused document with a readable name keeps only that pod. Without a name, it may be any of the pods that are now missing.
  const known = refused.flatMap(({ fullName }) => (fullName !== undefined && names.has(fullName) ? [fullName] : []));
  const anyOf = refused.length > known.length;
  const kept = before.filter((pod) => !replaced.has(podFullName(pod)) && (anyOf || known.includes(podFullName(pod))));
  return [...good, ...kept];
}

function settled(files: ReadonlyMap<string, readonly Pod[]>, failed: boolean): FileSourceResult {
  const { store, duplicates } = storeOf(files);
  return { state: { files, store }, pods: [...store.values()], failed, duplicates };
}

function kubeletStep(state: FileSourceState, step: FileSourceStep): FileSourceResult {
  switch (step.type) {
    case 'missing':
      return { state, pods: [], failed: true, duplicates: [] };
    case 'scan': {
      if (step.single && step.files.some(isRefused)) return { state, failed: true, duplicates: [] };
      const scanned = new Map(
        step.files.map(({ file, documents }) => [file, goodPods(documents)] as const).filter(([, pods]) => pods.length > 0),
      );
      const { store, duplicates } = storeOf(scanned);
      const files = new Map([...state.files, ...scanned]);
      return { state: { files, store: store.size > 0 ? store : state.store }, pods: [...store.values()], failed: false, duplicates };
    }
    case 'change': {
      const pods = goodPods(step.file.documents);
      const failed = isRefused(step.file);
      if (pods.length === 0) return { state, failed, duplicates: [] };
      const store = new Map([...state.store, ...pods.map((pod) => [podFullName(pod), pod] as const)]);
      return { state: { files: new Map(state.files).set(step.file.file, pods), store }, pods: [...store.values()], failed, duplicates: [] };
    }
    case 'delete': {
      const names = state.files.get(step.file)?.map(podFullName);
      if (names === undefined) return { state, failed: false, duplicates: [] };
      if (!names.some((name) => state.store.has(name))) return { state, failed: true, duplicates: [] };
      const files = new Map(state.files);
      const store = new Map(state.store);
      files.delete(step.file);
      for (const name of names) store.delete(name);
      return { state: { files, store }, pods: [...store.values()], failed: false, duplicates: [] };
    }
  }
}

function storeOf(files: ReadonlyMap<string, readonly Pod[]>): { store: Map<string, Pod>; duplicates: DuplicatePod[] } {
  const store = new Map<string, Pod>();
  const fileOf = new Map<string, string>();
  const duplicates: DuplicatePod[] = [];
  for (const file of [...files.keys()].sort()) {
    for (const pod of files.get(file) ?? []) {
      const fullName = podFullName(pod);
      const ignored = fileOf.get(fullName);
      if (ignored !== undefined) duplicates.push({ fullName, used: file, ignored });
      fileOf.set(fullName, file);
      store.set(fullName, pod);
    }
  }
  return { store, duplicates: [...duplicates, ...sharedUids(store, fileOf)] };
}

/** The pods that the merge of all sources, which knows pods by UID, replaces by another one. */
function sharedUids(store: ReadonlyMap<string, Pod>, fileOf: ReadonlyMap<string, string>): DuplicatePod[] {
  const nameOf = new Map<string, string>();
  const shared: DuplicatePod[] = [];
  for (const [name, pod] of store) {
    const uid = podUid(pod);
    const fullName = nameOf.get(uid);
    if (fullName !== undefined) shared.push({ fullName, uid, used: fileOf.get(name) ?? '', ignored: fileOf.get(fullName) ?? '' });
    nameOf.set(uid, name);
  }
  return shared;
}

function goodPods(documents: readonly ManifestDocument[]): Pod[] {
  return documents.flatMap(({ pod }) => (pod === undefined ? [] : [pod]));
}

function isRefused({ documents }: ManifestFile): boolean {
  return documents.some(({ error }) => error !== undefined);
}
