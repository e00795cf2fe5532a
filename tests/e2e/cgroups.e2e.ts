import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPodReady, type Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { cgroupPaths, cgroupRootOf } from '../support/agent/cgroup-roots.js';
import { useClusterNode } from '../support/agent/cluster-node.js';
import { testImage } from '../support/containerd/containerd.js';
import { describeOnContainerd } from '../support/containerd/describe-on-containerd.js';
import { listIfThere } from '../support/if-there.js';
import { until } from '../support/until.js';

const isV1 = listIfThere('/sys/fs/cgroup/memory').length > 0;
const mib = (amount: number) => `${amount * 2 ** 20}`;

describeOnContainerd('cgroups of pods', ['2', '1.6'], (binaries) => {
  const cluster = useClusterNode(binaries);
  const get = (name: string) => cluster.server.objects.get<Pod>('pods', name);
  const uidOf = (name: string) => get(name)?.metadata?.uid ?? '';
  const pathOf = (qos: string, uid: string) => join(cgroupRootOf(cluster.work.root), 'kubepods', qos, `pod${uid}`);
  /** Text of a file of a cgroup, in the hierarchy that has it. */
  const read = (path: string, file: string) =>
    cgroupPaths(path).flatMap((folder) => (listIfThere(folder).includes(file) ? [readFileSync(join(folder, file), 'utf8').trim()] : []))[0];
  const values = (qos: string, name: string) => {
    const path = pathOf(qos, uidOf(name));
    const files = isV1 ? ['cpu.shares', 'cpu.cfs_quota_us', 'memory.limit_in_bytes'] : ['cpu.weight', 'cpu.max', 'memory.max'];
    return files.map((file) => read(path, file));
  };
  const exists = (path: string) => cgroupPaths(path).some((folder) => listIfThere(folder).length > 0);

  const podWith = (name: string, resources: object): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'main',
          image: testImage,
          imagePullPolicy: 'IfNotPresent',
          command: ['sh', '-c', 'trap "exit 0" TERM; sleep infinity & wait $!'],
          resources,
        },
      ],
    },
  });
  const start = async (name: string, resources: object) => {
    cluster.server.objects.create<Pod>(podWith(name, resources));
    await until(`${name} to be ready`, async () => isPodReady(get(name) ?? {}));
  };
  const resize = (name: string, resources: object) =>
    cluster.server.objects.update<Pod>(
      'pods',
      name,
      ({ spec }) => {
        for (const container of spec?.containers ?? []) container.resources = resources;
      },
      { subresource: 'resize' },
    );
  const same = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });

  it('have the limits of their class, follow a resize in place, contain the containers and are removed with the pods', async () => {
    await start('guaranteed', same('50m', '32Mi'));
    await start('burstable', { requests: { cpu: '100m', memory: '16Mi' }, limits: { cpu: '200m', memory: '64Mi' } });
    await start('besteffort', {});
    const unlimited = isV1 ? ['-1', '9223372036854771712'] : ['max 100000', 'max'];
    const limited = (quota: number, memory: number) => (isV1 ? [`${quota}`, mib(memory)] : [`${quota} 100000`, mib(memory)]);
    expect(values('', 'guaranteed')).toEqual([isV1 ? '51' : '2', ...limited(5_000, 32)]);
    expect(values('burstable', 'burstable')).toEqual([isV1 ? '102' : '4', ...limited(20_000, 64)]);
    expect(values('besteffort', 'besteffort')).toEqual([isV1 ? '2' : '1', ...unlimited]);
    expect(read(join(cgroupRootOf(cluster.work.root), 'kubepods', 'burstable'), isV1 ? 'cpu.shares' : 'cpu.weight')).toBe(
      isV1 ? '102' : '4',
    );
    const containerOf = (name: string) => get(name)?.status?.containerStatuses?.[0]?.containerID?.replace('containerd://', '') ?? 'none';
    const before = containerOf('burstable');
    expect(read(join(pathOf('burstable', uidOf('burstable')), before), 'cgroup.procs')).toMatch(/^\d+/);

    resize('guaranteed', same('100m', '48Mi'));
    resize('burstable', { requests: { cpu: '150m', memory: '16Mi' }, limits: { cpu: '300m', memory: '96Mi' } });
    await until(
      'the resizes to be in force',
      async () => values('', 'guaranteed')[0] === (isV1 ? '102' : '4') && values('burstable', 'burstable')[0] === (isV1 ? '153' : '6'),
    );
    expect(values('', 'guaranteed')).toEqual([isV1 ? '102' : '4', ...limited(10_000, 48)]);
    expect(values('burstable', 'burstable')).toEqual([isV1 ? '153' : '6', ...limited(30_000, 96)]);
    expect(containerOf('burstable')).toBe(before);

    const paths = [
      ['', 'guaranteed'],
      ['burstable', 'burstable'],
      ['besteffort', 'besteffort'],
    ].map(([qos = '', name = '']) => pathOf(qos, uidOf(name)));
    expect(paths.map(exists)).toEqual([true, true, true]);
    for (const name of ['guaranteed', 'burstable', 'besteffort']) cluster.server.objects.delete('pods', name);
    await until('the cgroups to be removed', async () => !paths.some(exists));
  });

  it('that a killed agent left are removed by the next one, and those of running pods stay', async () => {
    await start('kept', {});
    await start('deleted', {});
    const [kept, deleted] = ['kept', 'deleted'].map((name) => pathOf('besteffort', uidOf(name))) as [string, string];
    const leftover = pathOf('burstable', '00000000-0000-0000-0000-000000000000');
    await cluster.agent.end('SIGKILL');
    for (const folder of cgroupPaths(join(leftover, '..')))
      if (listIfThere(folder).length > 0) mkdirSync(join(folder, leftover.split('/').at(-1) ?? ''));
    cluster.server.objects.delete('pods', 'deleted', { gracePeriodSeconds: 0 });
    expect([kept, deleted, leftover].map(exists)).toEqual([true, true, true]);
    const id = get('kept')?.status?.containerStatuses?.[0]?.containerID;
    cluster.restart();
    await until('the orphaned cgroups to be removed', async () => !exists(deleted) && !exists(leftover));
    expect([exists(kept), get('kept')?.status?.containerStatuses?.[0]?.containerID]).toEqual([true, id]);
  });
});
