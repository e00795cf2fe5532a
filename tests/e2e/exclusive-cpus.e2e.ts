import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cgroupPods } from '../support/agent/cgroup-pods.js';
import { cgroupPaths, cgroupRootOf } from '../support/agent/cgroup-roots.js';
import { useClusterNode } from '../support/agent/cluster-node.js';
import { listIfThere } from '../support/if-there.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { until } from '../support/until.js';

describeOnRuntimes('exclusive CPUs', ['2', '1.6'], (testRuntime) => {
  const cluster = useClusterNode(testRuntime, {
    flags: ['--cpu-manager-policy', 'static', '--cpu-manager-reconcile-period', '1s', '--reserved-cpus', '0'],
  });
  const { uidOf, containerOf, start: startPod } = cgroupPods(cluster);
  /** Text of a file of the container's cgroup, in the hierarchy that has it. */
  const read = (name: string, file: string) => {
    const qos = name === 'pinned' ? '' : 'besteffort';
    const path = join(cgroupRootOf(cluster.work.root), 'kubepods', qos, `pod${uidOf(name)}`, containerOf(name));
    return cgroupPaths(path).flatMap((folder) =>
      listIfThere(folder).includes(file) ? [readFileSync(join(folder, file), 'utf8').trim()] : [],
    )[0];
  };
  /** The CPUs of the container's cgroup, and those of its first process. */
  const cpusOf = (name: string) => {
    const [pid] = (read(name, 'cgroup.procs') ?? '').split('\n');
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return [read(name, 'cpuset.cpus'), /^Cpus_allowed_list:\s*(.*)$/m.exec(status)?.[1]];
  };
  const start = (name: string, limits: Record<string, string>) => startPod(name, { limits, requests: limits });

  it('of a Guaranteed pod are kept from other containers, also after a kill of the agent', async () => {
    await start('shared', {});
    const before = cpusOf('shared');
    expect(before[0]).toBe(before[1]);
    await start('pinned', { cpu: '1', memory: '32Mi' });
    expect(cpusOf('pinned')).toEqual(['1', '1']);
    await until('the other container to lose the CPU', async () => cpusOf('shared')[0] !== before[0]);
    expect(cpusOf('shared')).toEqual(withoutCpu1(before));

    const id = containerOf('pinned');
    await cluster.agent.end('SIGKILL');
    cluster.restart();
    await start('next', {});
    expect([containerOf('pinned'), cpusOf('pinned'), cpusOf('shared'), cpusOf('next')]).toEqual([
      id,
      ['1', '1'],
      withoutCpu1(before),
      withoutCpu1(before),
    ]);
  });
});

/** Lists of CPUs such as `0-1` without CPU 1. */
const withoutCpu1 = (lists: (string | undefined)[]) => lists.map((list) => list?.replace(/^0-1/, '0').replace(/^0-/, '0,2-'));
