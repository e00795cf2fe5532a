import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pod } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import { expect, it } from 'vitest';
import { cgroupPods } from '../support/agent/cgroup-pods.js';
import { cgroupPaths } from '../support/agent/cgroup-roots.js';
import { useClusterNode } from '../support/agent/cluster-node.js';
import { cgroupFolders, cgroupValues, expectedValues, isCgroupV1, kubepodsPath, readCgroup } from '../support/agent/node-cgroups.js';
import { listIfThere } from '../support/if-there.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { until } from '../support/until.js';

describeOnRuntimes('cgroups of pods', ['2', '1.6'], (testRuntime) => {
  const cluster = useClusterNode(testRuntime);
  const { get, uidOf, pathOf, values, containerOf, podWith, start, resize } = cgroupPods(cluster);
  const exists = (path: string) => cgroupFolders(path).length > 0;
  const containerValues = (qos: string, name: string) => cgroupValues(join(pathOf(qos, uidOf(name)), containerOf(name)));
  const same = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });

  it('have the limits of their class, follow a resize in place, contain the containers and are removed with the pods', async () => {
    await start('guaranteed', same('50m', '32Mi'));
    await start('burstable', { requests: { cpu: '100m', memory: '16Mi' }, limits: { cpu: '200m', memory: '64Mi' } });
    await start('besteffort', {});
    expect(values('', 'guaranteed')).toEqual(expectedValues({ shares: 51, quota: 5_000, memory: '32Mi' }));
    expect(values('burstable', 'burstable')).toEqual(expectedValues({ shares: 102, quota: 20_000, memory: '64Mi' }));
    expect(values('besteffort', 'besteffort')).toEqual(expectedValues({ shares: 2 }));
    expect(cgroupValues(kubepodsPath(cluster.work.root, 'burstable'))).toEqual(expectedValues({ shares: 102 }));
    expect(cgroupValues(kubepodsPath(cluster.work.root, 'besteffort'))).toEqual(expectedValues({ shares: 2 }));
    const before = containerOf('burstable');
    expect(readCgroup(join(pathOf('burstable', uidOf('burstable')), before), 'cgroup.procs')).toMatch(/^\d+/);

    resize('guaranteed', same('100m', '48Mi'));
    resize('burstable', { requests: { cpu: '150m', memory: '16Mi' }, limits: { cpu: '300m', memory: '96Mi' } });
    const resized = expectedValues({ shares: 153, quota: 30_000, memory: '96Mi' });
    await until('the resizes to be in force', async () =>
      [values('burstable', 'burstable'), containerValues('burstable', 'burstable')].every((each) => each.join() === resized.join()),
    );
    await until('the resize of the guaranteed pod', async () => values('', 'guaranteed')[1]?.startsWith('10000'));
    expect(values('', 'guaranteed')).toEqual(expectedValues({ shares: 102, quota: 10_000, memory: '48Mi' }));
    await until(
      'the burstable class to follow',
      async () => cgroupValues(kubepodsPath(cluster.work.root, 'burstable')).join() === expectedValues({ shares: 153 }).join(),
      90_000,
    );

    resize('guaranteed', same('30m', '24Mi'));
    resize('burstable', { requests: { cpu: '50m', memory: '16Mi' }, limits: { cpu: '100m', memory: '48Mi' } });
    const smaller = expectedValues({ shares: 51, quota: 10_000, memory: '48Mi' });
    await until('the pods to shrink', async () =>
      [values('burstable', 'burstable'), containerValues('burstable', 'burstable')].every((each) => each.join() === smaller.join()),
    );
    await until('the guaranteed pod to shrink', async () => values('', 'guaranteed')[1]?.startsWith('3000'));
    expect(values('', 'guaranteed')).toEqual(expectedValues({ shares: 30, quota: 3_000, memory: '24Mi' }));
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

  it('follow resizes of pod-level resources', async () => {
    const podLevel = (cpu: string, memory: string) => ({ requests: { cpu: '50m', memory: '16Mi' }, limits: { cpu, memory } });
    const pod = podWith('pod-level', {});
    if (pod.spec) pod.spec.resources = podLevel('100m', '64Mi');
    cluster.server.objects.create<Pod>(pod);
    await until('pod-level to be ready', async () => isPodReady(get('pod-level') ?? {}));
    expect(values('burstable', 'pod-level')).toEqual(expectedValues({ shares: 51, quota: 10_000, memory: '64Mi' }));
    cluster.server.objects.update<Pod>(
      'pods',
      'pod-level',
      ({ spec }) => {
        if (spec) spec.resources = podLevel('200m', '96Mi');
      },
      { subresource: 'resize' },
    );
    const resized = expectedValues({ shares: 51, quota: 20_000, memory: '96Mi' });
    await until('the pod to be resized', async () => values('burstable', 'pod-level').join() === resized.join());
    cluster.server.objects.delete('pods', 'pod-level');
    await until('the pod to be removed', async () => get('pod-level') === undefined);
  });

  it('get the pod-level resources that a resize adds', async () => {
    const cpu = (request: string, limit: string) => ({ requests: { cpu: request }, limits: { cpu: limit } });
    await start('extended', cpu('2m', '10m'));
    expect(values('burstable', 'extended')).toEqual(expectedValues({ shares: 2, quota: 1_000 }));
    cluster.server.objects.update<Pod>(
      'pods',
      'extended',
      ({ spec }) => {
        if (spec) spec.resources = cpu('5m', '25m');
      },
      { subresource: 'resize' },
    );
    const resized = expectedValues({ shares: 5, quota: 2_500 });
    await until('the pod to be resized', async () => values('burstable', 'extended').join() === resized.join());
    cluster.server.objects.delete('pods', 'extended');
    await until('the pod to be removed', async () => get('extended') === undefined);
  });

  it('keep their values if a resize exceeds the node, or the memory in use exceeds the new limit', async () => {
    const held = podWith('held', { requests: { cpu: '20m', memory: '16Mi' }, limits: { cpu: '100m', memory: '96Mi' } });
    const [container] = held.spec?.containers ?? [];
    if (container)
      container.command = ['sh', '-c', 'dd if=/dev/zero of=/dev/shm/held bs=1M count=40; trap "exit 0" TERM; sleep infinity & wait $!'];
    cluster.server.objects.create<Pod>(held);
    await until('held to be ready', async () => isPodReady(get('held') ?? {}));
    const path = () => pathOf('burstable', uidOf('held'));
    await until(
      'the memory to be in use',
      async () => Number(readCgroup(path(), isCgroupV1 ? 'memory.usage_in_bytes' : 'memory.current')) > 40 * 2 ** 20,
    );
    const before = expectedValues({ shares: 20, quota: 10_000, memory: '96Mi' });
    const condition = (type: string) => get('held')?.status?.conditions?.find((each) => each.type === type);

    resize('held', { requests: { cpu: '1000', memory: '16Mi' }, limits: { cpu: '1000', memory: '96Mi' } });
    await until('the resize to be infeasible', async () => condition('PodResizePending')?.reason === 'Infeasible');
    expect(values('burstable', 'held')).toEqual(before);

    resize('held', { requests: { cpu: '20m', memory: '16Mi' }, limits: { cpu: '100m', memory: '24Mi' } });
    await until('the resize to be refused', async () =>
      /below current usage/.test(`${condition('PodResizeInProgress')?.reason} ${condition('PodResizeInProgress')?.message}`),
    );
    expect(condition('PodResizeInProgress')).toMatchObject({
      reason: 'Error',
      message: expect.stringMatching(/attempting to set (container "main"|pod) memory limit \(25165824\) below current usage \(\d+\)/),
    });
    expect(values('burstable', 'held')).toEqual(before);
    expect(isPodReady(get('held') ?? {})).toBe(true);
    cluster.server.objects.delete('pods', 'held');
    await until('the pod to be removed', async () => get('held') === undefined);
  });

  it('of a pod that exceeds its memory report OOMKilled', async () => {
    const hungry = podWith('hungry', same('100m', '24Mi'));
    const [container] = hungry.spec?.containers ?? [];
    if (hungry.spec) hungry.spec.restartPolicy = 'Never';
    if (container) container.command = ['sh', '-c', 'x=a; while :; do x=$x$x; done'];
    cluster.server.objects.create<Pod>(hungry);
    const { terminated } = await until('the container to be killed', async () => {
      const state = get('hungry')?.status?.containerStatuses?.[0]?.state;
      return state?.terminated !== undefined && state;
    });
    expect(terminated).toMatchObject({ reason: 'OOMKilled', exitCode: 137 });
    await until('the pod to fail', async () => get('hungry')?.status?.phase === 'Failed');
    cluster.server.objects.delete('pods', 'hungry');
    await until('the pod to be removed', async () => get('hungry') === undefined);
  });

  it('into which another process moved are removed with the process', async () => {
    await start('busy', {});
    const path = pathOf('besteffort', uidOf('busy'));
    const moved = spawn('sleep', ['1000'], { stdio: 'ignore' });
    const ended = once(moved, 'exit');
    for (const folder of cgroupFolders(path)) writeFileSync(join(folder, 'cgroup.procs'), `${moved.pid}`);
    cluster.server.objects.delete('pods', 'busy');
    await until('the cgroup to be removed', async () => !exists(path));
    expect(await ended).toEqual([null, 'SIGKILL']);
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
