import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { goArchitecture } from './go-architecture.js';
import { createMachineReader } from './machine-reader.js';
import { createNetworkReader } from './network-reader.js';
import { onlineCpus, osImage } from './parse.js';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'machine-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function files(contents: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(contents)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

const meminfo = 'MemTotal:        8000000 kB\nMemFree:          100 kB\nSwapTotal:       1000 kB\n';

describe('machine reader', () => {
  it('reads what the machine is', async () => {
    await files({
      'proc/meminfo': meminfo,
      'sys/devices/system/cpu/online': '0-3,6\n',
      'sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages': '512\n',
      'sys/kernel/mm/hugepages/other/nr_hugepages': '1\n',
      'etc/machine-id': 'abc\n',
      'sys/class/dmi/id/product_uuid': 'UUID-1\n',
      'proc/sys/kernel/random/boot_id': 'boot\n',
      'proc/sys/kernel/osrelease': '6.1.0-test\n',
      'etc/os-release': 'NAME=x\nPRETTY_NAME="Test Linux 1"\n',
    });
    const info = await createMachineReader({ root, stateDirectory: root }).info();
    expect(info).toMatchObject({
      cpus: 5,
      memoryBytes: 8_192_000_000n,
      swapBytes: 1_024_000n,
      hugePages: [{ pageBytes: 2_097_152n, pages: 512n }],
      machineId: 'abc',
      systemUuid: 'UUID-1',
      bootId: 'boot',
      kernelVersion: '6.1.0-test',
      osImage: 'Test Linux 1',
      operatingSystem: 'linux',
    });
    expect(info.ephemeralStorageBytes).toBeGreaterThan(0n);
  });

  it('does without what a container does not tell', async () => {
    await files({ 'proc/meminfo': meminfo, 'proc/cpuinfo': 'processor : 0\nprocessor : 1\n', 'var/lib/dbus/machine-id': 'dbus' });
    const info = await createMachineReader({ root }).info();
    expect(info).toMatchObject({ cpus: 2, machineId: 'dbus', systemUuid: 'dbus', bootId: '', osImage: 'Linux', hugePages: [] });
    expect(info.ephemeralStorageBytes).toBeUndefined();
  });

  it.each([
    ['memory', { 'sys/devices/system/cpu/online': '0' }],
    ['CPUs', { 'proc/meminfo': meminfo }],
  ])('does not do without %s', async (what, contents) => {
    await files(contents as Record<string, string>);
    const expected = { code: 'MachineUnreadable', message: expect.stringContaining(what) };
    await expect(createMachineReader({ root }).info()).rejects.toMatchObject(expected);
  });
});

describe('network reader', () => {
  const interfaces = () => ({
    lo: [{ address: '127.0.0.1' }],
    eth0: [{ address: 'fe80::1' }, { address: '10.0.0.7' }, { address: '2001:db8::7' }],
    eth1: [{ address: '192.168.0.1' }],
  });
  const header = 'Iface\tDestination\tGateway \tFlags\n';
  const zero = '0'.repeat(32);

  it('finds the interface with the default route', async () => {
    await files({
      'proc/net/route': `${header}eth1\t0000A8C0\t00000000\t0001\neth0\t00000000\t0100000A\t0003\n`,
      'proc/net/ipv6_route': `${zero} 00 ${zero} 00 ${zero} 00000400 1 0 00200200 lo\n${zero} 00 ${zero} 00 fe80${'0'.repeat(27)}1 00000400 1 0 00000003 eth0\n`,
    });
    const network = createNetworkReader({ root, interfaces });
    expect(await network.defaultAddress('ipv4')).toBe('10.0.0.7');
    expect(await network.defaultAddress('ipv6')).toBe('2001:db8::7');
    expect(network.interfaceAddresses()).toHaveLength(5);
  });

  it('takes the other family if there is no route of the one asked for', async () => {
    await files({ 'proc/net/route': `${header}eth0\t00000000\t0100000A\t0003\n` });
    expect(await createNetworkReader({ root, interfaces }).defaultAddress('ipv6')).toBe('10.0.0.7');
  });

  it('says that there is none', async () => {
    await expect(createNetworkReader({ root, interfaces }).defaultAddress('ipv4')).rejects.toMatchObject({ code: 'NoNodeAddress' });
  });

  it('looks names up by the system, or as it is told', async () => {
    expect(await createNetworkReader().lookup('localhost')).not.toEqual([]);
    expect(await createNetworkReader({ resolve: async () => ['10.1.1.1'] }).lookup('n1')).toEqual(['10.1.1.1']);
  });
});

it.each([
  ['PRETTY_NAME=Plain\n', 'Plain'],
  ["PRETTY_NAME='Quoted one'\n", 'Quoted one'],
  ['NAME=other\n', 'Linux'],
])('os image of %j is %s', (text, image) => {
  expect(osImage(text)).toBe(image);
});

it('counts CPUs and names architectures', () => {
  expect([onlineCpus('0', ''), onlineCpus('', ''), goArchitecture('x64'), goArchitecture('arm64')]).toEqual([1, 0, 'amd64', 'arm64']);
});
