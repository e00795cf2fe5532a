import {
  applyCdiEdits,
  infraSpec,
  ociRuntimeErrorCodes,
  parseCdiSpec,
  parseGroup,
  parsePasswd,
  parseSeccompProfile,
} from '@nodeagent/oci-runtime';
import fc from 'fast-check';
import { type Json, jsonText, mutatedJson } from '../generate/json.js';
import { oddText } from '../generate/text.js';
import { promise, promisePlain, promiseSame, resultUnless } from '../promises.js';
import { fuzzTarget } from '../target.js';

const profiles: Json[] = [
  {
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: 1,
    architectures: ['SCMP_ARCH_X86_64'],
    flags: ['SECCOMP_FILTER_FLAG_LOG'],
    syscalls: [
      { names: ['read', 'write'], action: 'SCMP_ACT_ALLOW' },
      { names: ['clone'], action: 'SCMP_ACT_ERRNO', errnoRet: 38, args: [{ index: 0, value: 1, valueTwo: 2, op: 'SCMP_CMP_MASKED_EQ' }] },
    ],
  },
];
const cdiSpecs: Json[] = [
  {
    cdiVersion: '0.6.0',
    kind: 'vendor.com/gpu',
    devices: [
      {
        name: 'gpu0',
        containerEdits: {
          env: ['GPU=0'],
          deviceNodes: [
            { path: '/dev/gpu0', hostPath: '/dev/vendor0', type: 'c', major: 10, minor: 1, fileMode: 432, permissions: 'rw', uid: 0 },
          ],
          mounts: [{ hostPath: '/usr/lib/vendor', containerPath: '/usr/lib/vendor', options: ['ro', 'bind'], type: 'bind' }],
          hooks: [{ hookName: 'createContainer', path: '/usr/bin/hook', args: ['hook'], env: ['A=b'], timeout: 5 }],
          additionalGids: [44],
        },
      },
    ],
    containerEdits: { env: ['VENDOR=1'] },
  },
];

const spec = infraSpec({
  id: 'c1',
  sandbox: { linux: { securityContext: { namespaceOptions: { network: 'NODE', ipc: 'NODE', pid: 'CONTAINER' } } } },
  rootfs: '/rootfs',
  init: '/init',
  paths: {},
  machine: {
    ...{ ociVersion: '1.0.0', architecture: 'amd64', hostname: 'node', capabilities: [], hasSeccomp: false },
    features: { idMappedMounts: true, recursiveReadOnlyMounts: true },
    cgroups: { version: 2, driver: 'cgroupfs', controllers: [], hasSwap: false },
  },
});

const word = fc.oneof(fc.constantFrom('root', '0', '1000', '4294967295', '-1', '', ' ', '#', 'x', '0x10', '1e3', ':', '\r'), oddText);
const lines = fc
  .array(
    fc.array(word, { maxLength: 8 }).map((words) => words.join(':')),
    { maxLength: 10 },
  )
  .map((each) => each.join('\n'));

/** Reads a line by one pattern; the package splits it. */
const entryForm = /^(?!#)([^:]*):[^:]*:(\d{1,10})(?::([^:]*))?(?::.*)?$/s;

function checkUserFiles(text: string): void {
  const found = text.split('\n').flatMap((line) => entryForm.exec(line.trim()) ?? []);
  promise(found.length % 4 === 0, 'the groups of the pattern');
  const ofGroup = text.split('\n').flatMap((line) => {
    const [, name = '', id = '', members = ''] = entryForm.exec(line.trim()) ?? [];
    return id === '' || Number(id) > 4_294_967_294 ? [] : [{ name, gid: Number(id), members: members.split(',').filter(Boolean) }];
  });
  promiseSame(parseGroup(text), ofGroup, 'the groups');
  const groups = new Map(ofGroup.map(({ name, gid }) => [`${name}:${gid}`, true]));
  for (const { name, uid, gid } of parsePasswd(text)) {
    promise(Number.isInteger(uid) && uid >= 0 && uid <= 4_294_967_294 && gid >= 0 && gid <= 4_294_967_294, `the ids ${uid} and ${gid}`);
    promise(groups.has(`${name}:${uid}`), `a user "${name}" of no line`);
  }
}

async function checkProfile(text: string): Promise<void> {
  const codes = [ociRuntimeErrorCodes.invalidSeccompProfile];
  const profile = await resultUnless(codes, 'parseSeccompProfile', () => parseSeccompProfile(text));
  if (profile === undefined) return;
  promisePlain(profile, 'the profile');
  promiseSame(parseSeccompProfile(JSON.stringify(profile)), profile, 'the profile that its own text gives');
}

async function checkCdi(text: string): Promise<void> {
  const read = await resultUnless([ociRuntimeErrorCodes.invalidCdiSpec], 'parseCdiSpec', () => parseCdiSpec(text));
  for (const edits of read === undefined ? [] : [read.edits, ...read.devices.values()]) {
    promisePlain(edits, 'the edits');
    const edited = await resultUnless([ociRuntimeErrorCodes.invalidArgument], 'applyCdiEdits', () => applyCdiEdits(spec, [edits], {}));
    if (edited === undefined) continue;
    const paths = [...edited.mounts.map(({ destination }) => destination), ...edited.linux.devices.map(({ path }) => path)];
    promise(
      paths.every((path) => path.startsWith('/')),
      `a path that is not absolute: ${paths.join(', ')}`,
    );
  }
}

export const containerFiles = fuzzTarget({
  name: 'container-files',
  promise: 'user files of images, seccomp profiles and CDI specifications give plain data in range, or documented errors',
  runs: 2_500,
  inputs: fc.record({
    kind: fc.constantFrom('users', 'profile', 'cdi'),
    lines,
    value: fc.oneof(mutatedJson(profiles), mutatedJson(cdiSpecs)),
    end: fc.constantFrom(0, 0, 0, -1, -7),
  }),
  async check({ kind, lines, value, end }) {
    const text = jsonText(value).slice(0, end === 0 ? undefined : end);
    if (kind === 'users') checkUserFiles(lines);
    else if (kind === 'profile') await checkProfile(text);
    else await checkCdi(text);
  },
});
