import type { Pod } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { cgroupPods } from '../support/agent/cgroup-pods.js';
import { useClusterNode } from '../support/agent/cluster-node.js';
import { expectedValues } from '../support/agent/node-cgroups.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { until } from '../support/until.js';

describeOnRuntimes('cgroups of crashing pods', ['2', '1.6'], (testRuntime) => {
  const cluster = useClusterNode(testRuntime);
  const { get, values, containerOf, podWith, resize } = cgroupPods(cluster);

  it('get the limits of a resize before a container starts that waited in its crash back-off', { timeout: 300_000 }, async () => {
    const limited = (memory: string) => ({ requests: { cpu: '20m', memory: '16Mi' }, limits: { cpu: '100m', memory } });
    const pod = podWith('crashing', limited('32Mi'));
    const [container] = pod.spec?.containers ?? [];
    if (container) container.command = ['sh', '-c', 'sleep 1; exit 1'];
    cluster.server.objects.create<Pod>(pod);
    const state = () => get('crashing')?.status?.containerStatuses?.[0];
    const isBackingOff = async () => state()?.state?.waiting?.reason === 'CrashLoopBackOff' && (state()?.restartCount ?? 0) >= 2;
    // After back-offs of 10 and 20 s, and three starts with a tenth of a CPU.
    await until('the back-off', isBackingOff, 120_000);
    expect(values('burstable', 'crashing')).toEqual(expectedValues({ shares: 20, quota: 10_000, memory: '32Mi' }));
    const before = containerOf('crashing');
    resize('crashing', limited('64Mi'));
    await until('the next start', async () => containerOf('crashing') !== before, 120_000);
    expect(values('burstable', 'crashing')).toEqual(expectedValues({ shares: 20, quota: 10_000, memory: '64Mi' }));
    cluster.server.objects.delete('pods', 'crashing');
    await until('the pod to be removed', async () => get('crashing') === undefined);
  });
});
