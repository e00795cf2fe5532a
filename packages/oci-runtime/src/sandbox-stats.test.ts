import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { canRunContainers } from './test-machine.js';
import { useMachinePods } from './test-machine-pods.js';

describe.runIf(canRunContainers)('the stats of a sandbox', () => {
  const pods = useMachinePods({ beforeEach, afterEach });
  const { runSandbox, start } = pods;
  const namespaceOf = (id: string) =>
    `/run/netns/nodeagent-${createHash('sha256').update(join(pods.machine.folder, 'state')).digest('hex').slice(0, 8)}-${id}`;

  it('have CPU, memory, network and processes, with a container and without', async () => {
    const { runtime } = pods.oci;
    const sandbox = await runSandbox();
    execFileSync('ip', ['-n', namespaceOf(sandbox).slice('/run/netns/'.length), 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'net1']);
    const empty = (await runtime.podSandboxStats({ podSandboxId: sandbox })).stats?.linux;
    expect(empty?.network?.defaultInterface?.name).toBe('eth0');
    expect(empty?.containers).toEqual([]);

    const container = await start(sandbox, 'sleep 1000 & sleep 1000', { linux: { resources: { memoryLimitInBytes: 100n << 20n } } });
    await expect.poll(async () => (await runtime.listPodSandboxStats({})).stats[0]?.linux?.process?.processCount?.value).toBe(3n);
    const { stats } = await runtime.listPodSandboxStats({});
    const linux = stats[0]?.linux;
    expect(linux?.cpu?.usageCoreNanoSeconds?.value).toBeGreaterThan(0n);
    expect(linux?.memory?.workingSetBytes?.value).toBeGreaterThan(0n);
    expect(linux?.network).toMatchObject({ defaultInterface: { name: 'eth0' }, interfaces: [{ name: 'net1' }] });
    expect(linux?.containers).toMatchObject([{ attributes: { id: container }, memory: { availableBytes: { value: expect.any(BigInt) } } }]);
    const metrics = (await runtime.listPodSandboxMetrics({})).podMetrics[0];
    const ofContainer = metrics?.containerMetrics[0]?.metrics ?? [];
    expect(ofContainer.find(({ name }) => name === 'container_threads')?.value?.value).toBe(3n);
    expect(ofContainer.find(({ name }) => name === 'container_file_descriptors')?.value?.value).toBeGreaterThanOrEqual(9n);
    const reported = new Set([...(metrics?.metrics ?? []), ...ofContainer].map(({ name }) => name));
    const { descriptors } = await runtime.listMetricDescriptors({});
    // Those that a machine may lack, that need the use of a disk, or a limit of CPU.
    const optional = /pressure|swap|blkio|fs_reads|fs_writes|spec_cpu/;
    expect(descriptors.filter(({ name }) => !reported.has(name) && !optional.test(name))).toEqual([]);

    await runtime.stopPodSandbox({ podSandboxId: sandbox });
    expect((await runtime.listPodSandboxStats({})).stats).toEqual([]);
    await expect(runtime.podSandboxStats({ podSandboxId: sandbox })).rejects.toThrow('is not ready');
  });
});
