import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { type ConfigMap, errorMessage, NodeAgentError, type Pod, type ResourceList, type Secret, type TokenRequest } from '@nodeagent/api';
import { fsUserOf, hasBackstep, isPathWithinBase, Quantity } from '@nodeagent/api/helpers';
import { type OwnedFile, type OwnershipFiles, openSubPath, safeMakeDirectory, safeOpen, setVolumeOwnership } from '@nodeagent/mount-utils';
import {
  findMountRefs,
  hasOtherMountRefs,
  inSystemdScope,
  mountCalls,
  mountLogText,
  mountOptionsOf,
  parseMountInfo,
  requiresOwnershipChange,
} from '@nodeagent/mount-utils/decisions';
import { createVirtualClock } from '@nodeagent/testing';
import { createTokenManager, type Payload } from '@nodeagent/volume-plugins';
import {
  checkHostPath,
  configMapPayload,
  downwardApiPayload,
  type FileKind,
  hugePagesMountOption,
  isTokenExpired,
  memoryMountOptions,
  memoryVolumeSize,
  nestedMountPoints,
  projectedPayload,
  requiresTokenRefresh,
  secretPayload,
  validatePayloadPath,
} from '@nodeagent/volume-plugins/decisions';
import { nodeWriterFiles, type WriterFiles, writeAtomically } from '@nodeagent/volume-plugins/node';
import { type Adapter, defineAdapter } from '../adapter.js';
import { keyProblems, unrecordedErrorText, wrappedTokenError } from '../masks.js';

/** What the function answers, or the text of its error. */
async function attempt<T>(answer: () => T | Promise<T>): Promise<T | { error: string }> {
  try {
    return await answer();
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

const opt = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

const filesOf = (payload: Payload) => ({
  files: Object.fromEntries(
    Array.from(payload, ([path, { data, mode, fsUser }]) => [
      path,
      { data: Buffer.from(data).toString('base64'), mode, ...(fsUser !== undefined && { fsUser }) },
    ]),
  ),
});

/** A temporary folder for one case; umask 022 as recorded. */
async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'nodeagent-vector-')));
  const umask = process.umask(0o022);
  try {
    return await run(folder);
  } finally {
    process.umask(umask);
    rmSync(folder, { recursive: true, force: true });
  }
}

interface TreeEntry {
  path: string;
  type: 'directory' | 'file' | 'symlink';
  target?: string;
}

function makeTree(base: string, entries: readonly TreeEntry[]): void {
  for (const { path, type, target = '' } of entries) {
    if (type === 'directory') mkdirSync(join(base, path), { recursive: true });
    else if (type === 'file') writeFileSync(join(base, path), '');
    else symlinkSync(target.replaceAll('<base>', base), join(base, path));
  }
}

const never = new AbortController().signal;

interface ProjectedInput {
  // biome-ignore lint/suspicious/noExplicitAny: a volume source as recorded
  projected: any;
  pod: Pod;
  volumeName: string;
  secrets: Record<string, Secret>;
  configMaps: Record<string, ConfigMap>;
  getErrors: Record<string, string>;
  nodeAllocatable: ResourceList;
  fsUser: number | null;
  fsGroup: number | null;
  kubeClient: boolean;
  tokenError: boolean;
  trustBundlesByName: Record<string, string>;
  trustBundlesBySigner: Record<string, string>;
  podCertificates: Record<string, [string, string]>;
}

async function projected(input: ProjectedInput) {
  const tokenRequests: unknown[] = [];
  const getter = <T>(kind: string, objects: Record<string, T>) => ({
    get: async (_: string, name: string) => {
      const failure = input.getErrors[`${kind}/${name}`];
      if (failure !== undefined) throw new Error(failure);
      return objects[name];
    },
  });
  const bundle = (pem: string | undefined, optional: boolean, missing: string) => {
    if (pem === undefined && !optional) throw new Error(missing);
    return pem ?? '';
  };
  const sources = {
    configured: input.kubeClient,
    getConfigMap: getter('configMap', input.configMaps).get,
    getSecret: getter('secret', input.secrets).get,
    nodeAllocatable: () => input.nodeAllocatable,
    getServiceAccountToken: async (namespace: string, serviceAccount: string, spec: TokenRequest['spec']) => {
      tokenRequests.push({ namespace, serviceAccount, spec });
      if (input.tokenError) throw new Error('failed to fetch token: denied');
      return `TOKEN(${namespace}/${serviceAccount}/[${(spec.audiences ?? []).join(' ')}])`;
    },
    trustBundles: {
      byName: async (name: string, optional: boolean) => bundle(input.trustBundlesByName[name], optional, `ctb ${name} missing`),
      bySigner: async (signer: string, _: unknown, optional: boolean) =>
        bundle(input.trustBundlesBySigner[signer], optional, `signer ${signer} missing`),
    },
    getPodCertificate: async (_: Pod, volume: string, index: number) => {
      const found = input.podCertificates[`${volume}/${index}`];
      if (!found) throw new Error(`credential bundle for ${volume}/${index} not ready`);
      return { key: found[0], chain: found[1] };
    },
  };
  const context = { pod: input.pod, volumeName: input.volumeName, fsUser: opt(input.fsUser), fsGroup: opt(input.fsGroup), signal: never };
  const answer = await attempt(async () => filesOf(await projectedPayload(input.projected, sources, context)));
  return { ...answer, tokenRequests };
}

const isRoot = process.getuid?.() === 0;

/** Owners of files where they differ from the writer's user, which was root in the recording. */
type Owners = Map<string, number>;

/** The writer's files without root: it reads all of them, as root does, and changes of their owner are only noted. */
const filesLikeRoots = (owners: Owners): WriterFiles => ({
  ...nodeWriterFiles,
  readFile: async (path) => readLikeRoot(path),
  async lchown(path, uid) {
    owners.set(realPlace(path), uid);
  },
  async remove(path) {
    owners.delete(realPlace(path));
    await nodeWriterFiles.remove(path);
  },
});

/** The path of a file or link, whose folder the writer names by an open handle. */
const realPlace = (path: string) => join(realpathSync(dirname(path)), basename(path));

/** Reads a file of any mode, which it keeps. */
function readLikeRoot(path: string): Buffer {
  if (isRoot) return readFileSync(path);
  const { mode } = statSync(path);
  chmodSync(path, 0o600);
  try {
    return readFileSync(path);
  } finally {
    chmodSync(path, mode);
  }
}

interface WriterStep {
  payload: Record<string, { data: string; mode: number; fsUser?: number }>;
  before?: { mkdir?: string; remove?: string; symlink?: string; target?: string };
  setPermsError?: string;
}

function writerSteps({ steps }: { steps: WriterStep[] }) {
  return inFolder(async (folder) => {
    const clock = createVirtualClock();
    const owners: Owners = new Map();
    const common = { targetDir: folder, clock, files: isRoot ? nodeWriterFiles : filesLikeRoots(owners) };
    const results: unknown[] = [];
    let previous: string | undefined;
    for (const { payload, before, setPermsError } of steps) {
      if (before?.mkdir) mkdirSync(join(folder, before.mkdir));
      if (before?.remove) rmSync(join(folder, before.remove), { recursive: true });
      if (before?.symlink) symlinkSync(before.target ?? '', join(folder, before.symlink));
      let setPermsCalled = false;
      const files: Payload = new Map(
        Object.entries(payload).map(([path, file]) => [path, { ...file, data: Buffer.from(file.data, 'base64') }]),
      );
      const setPermissions = async () => {
        setPermsCalled = true;
        if (setPermsError) throw new Error(setPermsError);
      };
      const outcome = await attempt(() => writeAtomically({ ...common, payload: files, setPermissions }));
      const names = readdirSync(folder);
      const current = names.includes('..data') ? readlinkSync(join(folder, '..data')) : undefined;
      const isTimestamped = (name: string) => /^\.\.\d{4}_/.test(name);
      results.push({
        top: describeTree(
          folder,
          names.filter((name) => !isTimestamped(name)),
          { owners, isTop: true },
        ),
        timestampDirs: names.filter(isTimestamped).length,
        ...(current !== undefined && { data: dataTree(join(folder, current), owners) }),
        setPermsCalled,
        dataDirChanged: current !== previous,
        ...outcome,
      });
      previous = current;
    }
    return { steps: results };
  });
}

function dataTree(folder: string, owners: Owners) {
  return describeTree(folder, pathsBelow(folder), { owners, isTop: false });
}

/** Links are not followed, as Node's own recursive reading does. */
function pathsBelow(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...pathsBelow(root, path)] : [path];
  });
}

function describeTree(folder: string, paths: string[], { owners, isTop }: { owners: Owners; isTop: boolean }) {
  return Object.fromEntries(
    paths.map((path) => {
      const full = join(folder, path);
      const facts = lstatSync(full);
      const mode = facts.mode & 0o7777;
      const uid = owners.get(full) ?? facts.uid;
      const owner = uid === process.getuid?.() ? {} : { uid };
      if (facts.isSymbolicLink()) {
        const target = readlinkSync(full);
        return [path, { type: 'symlink', target: /^\.\.\d{4}_[^/]*$/.test(target) ? '<timestampDir>' : target, ...owner }];
      }
      if (facts.isDirectory()) return [path, { type: 'directory', ...(!isTop && { mode }), ...owner }];
      return [path, { type: 'file', mode, data: readLikeRoot(full).toString('base64'), ...owner }];
    }),
  );
}

interface OwnershipInput {
  rootMode: number;
  entries: { path: string; type: string; mode?: number; target?: string }[];
  fsGroup: number;
  readOnly: boolean;
}

/** The files in memory, so that no root is needed; what the kernel does to set-id bits at a change of owner is overwritten by what follows. */
async function applyOwnership({ rootMode, entries, fsGroup, readOnly }: OwnershipInput) {
  const root = '/volume';
  const tree = new Map<string, { type: string; mode?: number; gid: number }>([[root, { type: 'directory', mode: rootMode, gid: 0 }]]);
  for (const { path, type, mode } of entries) tree.set(join(root, path), { type, gid: 0, ...(mode !== undefined && { mode }) });
  const at = (path: string) => {
    const found = tree.get(path);
    if (!found) throw new Error(`no ${path}`);
    return found;
  };
  const depth = (path: string) => path.split('/').length;
  const files: OwnershipFiles = {
    root: async (path) => ({ mode: at(path).mode ?? 0, gid: at(path).gid, kind: 'directory' }),
    async walk(_, visit) {
      for (const [path, file] of [...tree].sort(([a], [b]) => depth(b) - depth(a))) {
        const { type, mode = 0 } = at(path);
        await visit({
          kind: type as OwnedFile['kind'],
          mode,
          setGroup: async (gid) => {
            file.gid = gid;
          },
          setMode: async (wanted) => {
            file.mode = wanted;
          },
        });
      }
    },
  };
  await setVolumeOwnership({ path: root, fsGroup, readOnly, files });
  const described = Array.from(tree, ([path, { type, mode, gid }]) => ({
    path: relative(root, path) || '.',
    gid,
    ...(type !== 'symlink' && { mode }),
  }));
  return { entries: described.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

interface SafePathInput {
  entries: TreeEntry[];
  volume: string;
  subPath: string;
  resolveSymlinksFirst?: boolean;
  mode?: number;
}

function safeOpenCase({ entries, volume, subPath, resolveSymlinksFirst }: SafePathInput) {
  return inFolder(async (base) => {
    makeTree(base, entries);
    const root = join(base, volume);
    try {
      const handle = await (resolveSymlinksFirst ? openSubPath(root, subPath) : safeOpen(join(root, subPath), root));
      const opened = readlinkSync(`/proc/self/fd/${handle.fd}`);
      await handle.close();
      return { opened: relative(base, opened) };
    } catch (error) {
      if (!(error instanceof NodeAgentError)) throw error;
      return { errorClass: error.details.reason };
    }
  });
}

function safeMkdirCase({ entries, volume, subPath, mode = 0 }: SafePathInput) {
  return inFolder(async (base) => {
    makeTree(base, entries);
    const before = new Set(entries.map(({ path }) => path));
    const outcome = await attempt(async () => {
      await safeMakeDirectory(subPath, join(base, volume), mode);
      return {};
    });
    const created = pathsBelow(base)
      .filter((path) => !before.has(path))
      .sort()
      .map((path) => ({ path, mode: lstatSync(join(base, path)).mode & 0o7777 }));
    for (const { path } of created) chmodSync(join(base, path), 0o700);
    return { created, ...outcome };
  });
}

interface HostPathInput {
  hostPath: { path: string; type?: string };
  existingKind: string;
  createError?: string;
}

async function hostPathCheck({ hostPath, existingKind, createError }: HostPathInput) {
  let created: string | null = null;
  const create = (kind: string) => async () => {
    created = kind;
    if (createError) throw new Error(createError);
  };
  const outcome = await attempt(async () => {
    await checkHostPath(hostPath, {
      kindOf: async () => (existingKind === '' || existingKind === 'statError' ? undefined : (existingKind as FileKind)),
      makeFile: create('file'),
      makeDirectory: create('directory'),
    });
    return {};
  });
  return { created, ...outcome };
}

interface MountInput {
  source: string;
  target: string;
  fstype: string;
  options: string[] | null;
  sensitiveOptions: string[] | null;
  mountFlags: string[] | null;
  sourceStatfsFlags: string[] | null;
}

function mountArgs({ source, target, fstype, options, sensitiveOptions, mountFlags, sourceStatfsFlags }: MountInput) {
  const request = {
    source,
    target,
    fsType: fstype,
    options: options ?? [],
    sensitiveOptions: sensitiveOptions ?? [],
    flags: mountFlags ?? [],
  };
  const calls = mountCalls(request, sourceStatfsFlags ?? []);
  const bind = [...request.options, ...request.sensitiveOptions].includes('bind');
  return { bind, calls, systemd: inSystemdScope(target, calls[0] ?? []), ...(!bind && { logText: mountLogText(request) }) };
}

type TokenStep =
  | { op: 'get'; namespace: string; serviceAccount: string; spec: TokenRequest['spec']; serverFails: boolean }
  | { op: 'advance'; seconds: number }
  | { op: 'gc' }
  | { op: 'deletePod'; podUID: string };

async function tokenManager({ start, steps }: { start: string; steps: TokenStep[] }) {
  let now = Date.parse(start);
  let calls = 0;
  let serverFails = false;
  const clock = { ...createVirtualClock(), now: () => now, setTimeout: () => ({ cancel() {} }) };
  const manager = createTokenManager({
    clock,
    random: () => 0,
    requestToken: async (_, __, { spec }) => {
      calls++;
      if (serverFails) throw new Error('server unavailable');
      const expirationTimestamp = new Date(now + (spec.expirationSeconds ?? 0) * 1000).toISOString();
      return { spec, status: { token: `tok-${calls}`, expirationTimestamp } };
    },
  });
  const results: unknown[] = [];
  for (const step of steps) {
    const before = calls;
    let outcome: object = {};
    if (step.op === 'get') {
      serverFails = step.serverFails;
      const spec = { ...step.spec, audiences: step.spec.audiences ?? [] };
      const answer = await attempt(async () => ({
        token: await manager.getServiceAccountToken(step.namespace, step.serviceAccount, spec, never),
      }));
      outcome = { ...answer, serverCalls: calls - before };
    } else if (step.op === 'advance') now += step.seconds * 1000;
    else if (step.op === 'gc') manager.cleanUp();
    else manager.deleteServiceAccountToken(step.podUID);
    results.push({ ...outcome, cacheSize: manager.size });
  }
  return { steps: results };
}

interface RefreshInput {
  expirationSeconds: number | null;
  expirationTimestamp: string;
  now: string;
}

function tokenRefresh({ expirationSeconds, expirationTimestamp, now }: RefreshInput) {
  const token = { spec: { audiences: [], expirationSeconds: opt(expirationSeconds) }, status: { token: 't', expirationTimestamp } };
  const answers = new Set(Array.from({ length: 10 }, (_, jitter) => requiresTokenRefresh(token, Date.parse(now), jitter)));
  const [only] = answers;
  return {
    requiresRefresh: answers.size > 1 ? 'dependsOnJitter' : only ? 'always' : 'never',
    expired: isTokenExpired(token, Date.parse(now)),
  };
}

export const volumePluginsAdapters: Adapter[] = [
  defineAdapter('payload-configmap', ({ items, defaultMode, optional, configMap }) =>
    attempt(() => filesOf(configMapPayload(configMap, { items: opt(items), defaultMode: opt(defaultMode), optional: opt(optional) }))),
  ),
  defineAdapter('payload-secret', ({ items, defaultMode, optional, secret }) =>
    attempt(() => filesOf(secretPayload(secret, { items: opt(items), defaultMode: opt(defaultMode), optional: opt(optional) }))),
  ),
  defineAdapter(
    'payload-downwardapi',
    ({ items, defaultMode, pod, nodeAllocatable, nodeError }) =>
      attempt(() =>
        filesOf(
          downwardApiPayload({ items: opt(items), defaultMode: opt(defaultMode) }, pod, () => {
            if (nodeError) throw new Error(nodeError);
            return nodeAllocatable;
          }),
        ),
      ),
    { masks: [keyProblems] },
  ),
  defineAdapter('payload-projected', projected, { masks: [keyProblems] }),
  defineAdapter('fsuser', ({ spec }) => ({ fsUser: fsUserOf({ spec }) })),
  defineAdapter('nested-mountpoints', ({ volume, containers, initContainers }) =>
    attempt(() => ({ dirs: nestedMountPoints(volume, { spec: { containers: containers ?? [], initContainers: initContainers ?? [] } }) })),
  ),
  defineAdapter('atomic-validate-path', ({ path }) => attempt(() => ({ clean: validatePayloadPath(path) }))),
  defineAdapter('atomic-writer', writerSteps, { masks: [unrecordedErrorText] }),
  defineAdapter('hostpath-check', hostPathCheck),
  defineAdapter('emptydir-memory-size', ({ nodeAllocatableMemory, emptyDir, spec, noswapSupported }) => {
    const size = memoryVolumeSize(Quantity.parse(nodeAllocatableMemory), emptyDir, { spec });
    return { sizeBytes: Number(size), mountOptions: memoryMountOptions(size, noswapSupported) };
  }),
  defineAdapter('emptydir-hugepages', ({ medium, spec }) => attempt(() => ({ option: hugePagesMountOption(medium, { spec }) }))),
  defineAdapter('fsgroup-decision', ({ fsGroup, policy, readOnly, root }) => ({
    change: requiresOwnershipChange(opt(fsGroup), opt(policy), readOnly, root),
  })),
  defineAdapter('fsgroup-apply', applyOwnership),
  defineAdapter('subpath-safe-open', safeOpenCase),
  defineAdapter('subpath-safe-mkdir', safeMkdirCase, { masks: [unrecordedErrorText] }),
  defineAdapter('path-within-base', ({ path, base }) => ({ within: isPathWithinBase(path, base), noBacksteps: !hasBackstep(path) })),
  defineAdapter('mount-args', mountArgs),
  defineAdapter('mountinfo-refs', ({ mountinfo, path }) => attempt(() => ({ refs: findMountRefs(path, parseMountInfo(mountinfo)) })), {
    masks: [unrecordedErrorText],
  }),
  defineAdapter('mount-options', ({ persistentVolume, systemOptions }) => ({
    options: mountOptionsOf(persistentVolume, systemOptions ?? []),
  })),
  defineAdapter('has-mount-refs', ({ mountPath, refs }) => ({ hasOtherRefs: hasOtherMountRefs(mountPath, refs ?? []) })),
  defineAdapter('token-refresh', tokenRefresh),
  defineAdapter('token-manager', tokenManager, { masks: [wrappedTokenError] }),
];
