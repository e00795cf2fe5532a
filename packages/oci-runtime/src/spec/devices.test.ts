import { describe, expect, it } from 'vitest';
import { containerDevices, type HostDevice } from './devices.js';

const fuse: HostDevice = { path: '/dev/fuse', type: 'c', major: 10, minor: 229, fileMode: 0o666, uid: 0, gid: 0 };
const disk: HostDevice = { path: '/dev/vda', type: 'b', major: 254, minor: 0 };
const found = {
  '/dev/fuse': [fuse],
  '/dev/snd': [
    { ...fuse, path: '/dev/snd/seq', major: 116, minor: 1 },
    { path: '/dev/snd/by-path/fifo', type: 'p' as const },
  ],
};

describe('containerDevices', () => {
  it('allows the default devices and no others', () => {
    const { devices, rules } = containerDevices([], { privileged: false });
    expect(devices).toEqual([]);
    expect(rules[0]).toEqual({ allow: false, access: 'rwm' });
    expect(rules.filter(({ allow, access }) => allow && access === 'rwm').map(({ major, minor }) => `${major}:${minor ?? '*'}`)).toEqual([
      ...['1:3', '1:5', '1:7', '1:8', '1:9', '5:0', '5:1', '5:2', '136:*'],
    ]);
  });

  it('gives a requested device under its path in the container, with its permissions', () => {
    const request = { hostPath: '/dev/fuse', containerPath: '/dev/my', permissions: 'r' };
    const { devices, rules } = containerDevices([request], { privileged: false, found });
    expect(devices).toEqual([{ ...fuse, path: '/dev/my' }]);
    expect(rules.at(-1)).toEqual({ allow: true, type: 'c', major: 10, minor: 229, access: 'r' });
  });

  it('gives all devices below a folder; a FIFO needs no rule', () => {
    const { devices, rules } = containerDevices([{ hostPath: '/dev/snd', containerPath: '/audio' }], { privileged: false, found });
    expect(devices.map(({ path }) => path)).toEqual(['/audio/seq', '/audio/by-path/fifo']);
    expect(rules.at(-1)).toMatchObject({ major: 116, access: 'rwm' });
  });

  it('gives a privileged container all devices, and the requested under their paths', () => {
    const { devices, rules } = containerDevices([{ hostPath: '/dev/fuse', containerPath: '/dev/vda' }], {
      privileged: true,
      found,
      all: [fuse, disk],
    });
    expect(devices).toEqual([fuse, { ...fuse, path: '/dev/vda' }]);
    expect(rules).toEqual([{ allow: true, access: 'rwm' }]);
  });

  it.each([
    [{ hostPath: '/dev/absent' }, 'devices.host_path: "/dev/absent" is no device and has none below it'],
    [{ hostPath: 'constructor', containerPath: '/dev/x' }, 'devices.host_path: "constructor" is not an absolute path'],
    [{ hostPath: '/dev/fuse', containerPath: 'fuse' }, 'devices.container_path: "fuse" is not an absolute path'],
    [{ hostPath: '/dev/fuse', permissions: 'rx' }, 'devices.permissions: "rx" must consist of r, w and m'],
  ])('refuses %j', (device, message) => {
    expect(() => containerDevices([device], { privileged: false, found })).toThrow(message);
  });
});
