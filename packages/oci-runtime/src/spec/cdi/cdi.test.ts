import { describe, expect, it } from 'vitest';
import type { OciSpec } from '../oci-spec.js';
import { applyCdiEdits } from './apply-cdi-edits.js';
import { cdiEdits, readCdiDevices, requestedCdiDevices } from './cdi-devices.js';
import { parseCdiSpec } from './parse-cdi-spec.js';

const gpu = `
cdiVersion: 0.5.0
kind: example.com/gpu
containerEdits:
  env: [GPU=all]
  hooks:
    - { hookName: createContainer, path: /usr/bin/hook, args: [hook, update], timeout: 5 }
  additionalGids: [0, 44]
devices:
  - name: gpu0
    containerEdits:
      deviceNodes:
        - { path: /dev/gpu0, type: c, major: 195, minor: 0, permissions: rw }
        - { path: /dev/card, hostPath: /dev/dri/card0, uid: 3 }
      mounts:
        - { hostPath: /opt/gpu, containerPath: /usr/lib/gpu, options: [ro, bind] }
  - name: all
    containerEdits: { env: [GPU=0] }
`;
const nicJson = JSON.stringify({
  cdiVersion: '0.6.0',
  kind: 'example.com/nic',
  devices: [{ name: '1', containerEdits: { env: ['NIC=1'] } }],
});

const spec: OciSpec = {
  ociVersion: '1.0.0',
  root: { path: '/r', readonly: false },
  process: {
    args: ['sh'],
    env: ['PATH=/bin', 'GPU=none'],
    cwd: '/',
    terminal: false,
    user: { uid: 1000, gid: 1001, additionalGids: [1001] },
    noNewPrivileges: false,
    capabilities: { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] },
  },
  mounts: [
    { destination: '/proc', type: 'proc', source: 'proc', options: [] },
    { destination: '/usr/lib/gpu/inner', type: 'bind', source: '/i', options: ['rbind'] },
  ],
  linux: {
    namespaces: [],
    devices: [],
    cgroupsPath: '/c1',
    resources: { devices: [{ allow: false, access: 'rwm' }] },
    maskedPaths: [],
    readonlyPaths: [],
  },
};
const files = (...texts: string[]) => texts.map((text, index) => ({ path: `/etc/cdi/${index}.yaml`, text }));
const card = { path: '/dev/dri/card0', type: 'c' as const, major: 226, minor: 0, fileMode: 0o660, gid: 44 };

describe('parseCdiSpec', () => {
  it('reads YAML and JSON', async () => {
    expect([...(await parseCdiSpec(gpu)).devices.keys()]).toEqual(['gpu0', 'all']);
    expect((await parseCdiSpec(nicJson)).devices.get('1')?.env).toEqual(['NIC=1']);
  });

  const withEdits = (edits: string) => `{cdiVersion: 0.6.0, kind: a.b/c, devices: [{name: x, containerEdits: {${edits}}}]}`;
  it.each([
    ['', 'content: must be an object'],
    ['{', 'content: '],
    ['{cdiVersion: 2.0.0}', 'cdiVersion: is 2.0.0, not 0.x or 1.x'],
    ['{cdiVersion: 0.6.0, kind: gpu}', 'kind: "gpu" is not of the form vendor.com/class'],
    ['{cdiVersion: 0.6.0, kind: a.b/c, devices: [{name: "a,b"}]}', 'devices[0].name: "a,b" is not a name of a device'],
    ['{cdiVersion: 0.6.0, kind: a.b/c, devices: [{name: x}, {name: x}]}', 'devices[1].name: "x" is there twice'],
    [withEdits('env: [A]'), 'devices[0].containerEdits.env[0]: "A" is not of the form NAME=value'],
    [withEdits('deviceNodes: [{path: dev/x}]'), 'deviceNodes[0].path: "dev/x" is not an absolute path'],
    [withEdits('deviceNodes: [{path: /dev/x, type: x}]'), 'deviceNodes[0].type: must be c, u, b or p'],
    [withEdits('deviceNodes: [{path: /dev/x, permissions: z}]'), 'deviceNodes[0].permissions: must consist of r, w and m'],
    [withEdits('deviceNodes: [{path: /dev/x, major: -1}]'), 'deviceNodes[0].major: must be a whole number from 0'],
    [withEdits('hooks: [{hookName: later, path: /h}]'), 'hooks[0].hookName: "later" is not one of prestart'],
    [withEdits('mounts: [{hostPath: /a}]'), 'mounts[0].containerPath: must be a text that is not empty'],
  ])('refuses %s', async (text, message) => {
    await expect(parseCdiSpec(text)).rejects.toThrow(message);
  });
});

describe('readCdiDevices', () => {
  it('prefers later folders, and has no device that two files of one folder have', async () => {
    const other = nicJson.replace('NIC=1', 'NIC=2');
    const later = await readCdiDevices([files(nicJson), files(other)]);
    expect(later.devices.get('example.com/nic=1')?.edits.env).toEqual(['NIC=2']);
    const twice = await readCdiDevices([files(nicJson, other, gpu)]);
    expect([...twice.devices.keys()]).toEqual(['example.com/gpu=gpu0', 'example.com/gpu=all']);
    expect(twice.problems).toEqual(['example.com/nic=1: both /etc/cdi/0.yaml and /etc/cdi/1.yaml define it']);
    expect((await readCdiDevices([files(nicJson, nicJson, nicJson)])).devices.size).toBe(0);
  });

  it('reports files that are no specification, and reads the others', async () => {
    const { devices, problems } = await readCdiDevices([files('kind: x', nicJson)]);
    expect(devices.size).toBe(1);
    expect(problems).toEqual(['/etc/cdi/0.yaml: invalid CDI specification: cdiVersion: is undefined, not 0.x or 1.x']);
  });
});

it('finds requested devices in the field and in annotations', () => {
  const annotations = { 'cdi.k8s.io/plugin_1': 'a.b/c=1, a.b/c=2', 'example.com/x': 'a.b/c=3' };
  expect(requestedCdiDevices({ cdiDevices: [{ name: 'a.b/c=2' }, {}], annotations })).toEqual(['a.b/c=2', 'a.b/c=1']);
});

describe('edits of CDI devices', () => {
  it('change the specification, those of the kind once', async () => {
    const registry = await readCdiDevices([files(gpu)]);
    const edits = cdiEdits(['example.com/gpu=gpu0', 'example.com/gpu=all'], registry);
    const edited = applyCdiEdits(spec, edits, { '/dev/dri/card0': [card] });
    expect(edited.process.env).toEqual(['PATH=/bin', 'GPU=0']);
    expect(edited.process.user.additionalGids).toEqual([1001, 44]);
    expect(edited.hooks).toEqual({ createContainer: [{ path: '/usr/bin/hook', args: ['hook', 'update'], env: [], timeout: 5 }] });
    expect(edited.mounts.map(({ destination }) => destination)).toEqual(['/proc', '/usr/lib/gpu', '/usr/lib/gpu/inner']);
    expect(edited.linux.devices).toEqual([
      { path: '/dev/gpu0', type: 'c', major: 195, minor: 0, uid: 1000, gid: 1001 },
      { path: '/dev/card', type: 'c', major: 226, minor: 0, fileMode: 0o660, uid: 3, gid: 1001 },
    ]);
    expect(edited.linux.resources.devices?.slice(1)).toEqual([
      { allow: true, type: 'c', major: 195, minor: 0, access: 'rw' },
      { allow: true, type: 'c', major: 226, minor: 0, access: 'rwm' },
    ]);
  });

  it('leave a specification alone if there are none', () => {
    expect(applyCdiEdits(spec, [], {})).toBe(spec);
  });

  it('need the devices', async () => {
    const registry = await readCdiDevices([files(gpu)]);
    expect(() => cdiEdits(['a.b/c=1', 'example.com/gpu=gpu0', 'a.b/c=2'], registry)).toThrow(
      'CDI_devices: unresolvable CDI devices a.b/c=1, a.b/c=2',
    );
    const edits = cdiEdits(['example.com/gpu=gpu0'], registry);
    expect(() => applyCdiEdits(spec, edits, {})).toThrow('CDI_devices: "/dev/dri/card0" is no device of this machine');
  });
});
