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
  it('reads the facts of the machine', async () => {
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

  it('omits facts that are unavailable in a container', async () => {
    await files({ 'proc/meminfo': meminfo, 'proc/cpuinfo': 'processor : 0\nprocessor : 1\n', 'var/lib/dbus/machine-id': 'dbus' });
    const info = await createMachineReader({ root }).info();
    expect(info).toMatchObject({ cpus: 2, machineId: 'dbus', systemUuid: 'dbus', bootId: '', osImage: 'Linux', hugePages: [] });
    expect(info.ephemeralStorageBytes).toBeUndefined();
  });

  it.each([
    ['memory', { 'sys/devices/system/cpu/online': '0' }],
    ['CPUs', { 'proc/meminfo': meminfo }],
  ])('requires %s', async (what, contents) => {
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
  const trie = `  +-- 0.0.0.0/0 3 0 5
     +-- 10.0.0.0/24 2 0 2
        |-- 10.0.0.0
           /16 link UNICAST
           /24 link UNICAST
        |-- 10.0.0.7
           /32 host LOCAL
        |-- 10.0.0.255
           /32 link BROADCAST
     +-- 127.0.0.0/8 2 0 2
        |-- 127.0.0.0
           /8 host LOCAL
        |-- 127.0.0.1
           /32 host LOCAL
        |-- 192.168.0.1
           /24 link UNICAST
           /32 host LOCAL
`;
  const fibTrie = `Main:\n${trie}Local:\n${trie}`;
  const ifInet6 = `${'0'.repeat(31)}1 01 80 10 80       lo\n20010db8${'0'.repeat(23)}7 02 40 00 80     eth0\n`;

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

  it('falls back to the other family without a route of the preferred one', async () => {
    await files({ 'proc/net/route': `${header}eth0\t00000000\t0100000A\t0003\n` });
    expect(await createNetworkReader({ root, interfaces }).defaultAddress('ipv6')).toBe('10.0.0.7');
  });

  it('rejects if there is none', async () => {
    await expect(createNetworkReader({ root, interfaces }).defaultAddress('ipv4')).rejects.toMatchObject({ code: 'NoNodeAddress' });
  });

  it('reads the addresses of all interfaces from the tables of the kernel, also those without a carrier', async () => {
    await files({ 'proc/net/fib_trie': fibTrie, 'proc/net/if_inet6': ifInet6 });
    const network = createNetworkReader({ root, interfaces: () => expect.fail('the tables emit') });
    expect(network.interfaceAddresses()).toEqual(['10.0.0.7', '127.0.0.1', '192.168.0.1', '::1', '2001:db8::7']);
  });

  it('reads the interfaces again only when the default route or the addresses change', async () => {
    let calls = 0;
    const counted = () => {
      calls++;
      return interfaces();
    };
    await files({ 'proc/net/route': `${header}eth0\t00000000\t0100000A\t0003\n`, 'proc/net/fib_trie': fibTrie });
    const network = createNetworkReader({ root, interfaces: counted });
    for (let status = 0; status < 60; status++) expect(await network.defaultAddress('ipv4')).toBe('10.0.0.7');
    expect(calls).toBe(1);
    await files({ 'proc/net/route': `${header}eth1\t00000000\t0100000A\t0003\n` });
    expect(await network.defaultAddress('ipv4')).toBe('192.168.0.1');
    await files({ 'proc/net/fib_trie': fibTrie.replaceAll('10.0.0.7', '10.0.0.8') });
    await network.defaultAddress('ipv4');
    expect(calls).toBe(3);
  });

  it("resolves names with the system's resolver, or with the given one", async () => {
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
