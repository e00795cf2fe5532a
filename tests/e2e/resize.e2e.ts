import { setTimeout as sleep } from 'node:timers/promises';
import type { Pod } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import { expect, it } from 'vitest';
import { cgroupPods } from '../support/agent/cgroup-pods.js';
import { useClusterNode } from '../support/agent/cluster-node.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { until } from '../support/until.js';

const resources = (cpu: string) => ({ requests: { cpu, memory: '16Mi' }, limits: { cpu, memory: '32Mi' } });

/** The CPU limit of the spec, and that which the status reports as in force. */
const cpuLimits = ({ spec, status }: Pod) => ({
  wanted: spec?.containers[0]?.resources?.limits?.cpu,
  inForce: status?.containerStatuses?.[0]?.resources?.limits?.cpu,
});
/** Whether a client takes the status for that of a pod whose resize is done. */
const claimsAll = ({ metadata, status }: Pod) =>
  status?.observedGeneration === metadata?.generation &&
  status?.containerStatuses?.[0]?.state?.running !== undefined &&
  !status?.conditions?.some(({ type }) => type.startsWith('PodResize'));

describeOnRuntimes('resizes of pods of a cluster', ['2', '1.6'], (testRuntime) => {
  /** Each status of a pod that the node wrote. */
  const written: Pod[] = [];
  const cluster = useClusterNode(testRuntime, {
    audit: ({ objectRef: { resource, subresource }, responseStatus, responseObject }) => {
      if (resource === 'pods' && subresource === 'status' && responseStatus.code === 200) written.push(responseObject as Pod);
    },
  });

  const { get, podWith, resize } = cgroupPods(cluster);
  const create = (name: string) => cluster.server.objects.create<Pod>(podWith(name, resources('20m')));
  const remove = async (names: readonly string[]) => {
    for (const name of names) cluster.server.objects.delete('pods', name);
    await until(`the end of ${names.join(', ')}`, async () => names.every((name) => get(name) === undefined));
  };
  const isReady = async (name: string) => until(`${name} to be ready`, async () => isPodReady(get(name) ?? {}));

  it('two pods start while others are collected, and one is resized within two seconds: no status claims what is not in force', async () => {
    const rounds = 5;
    const others = ['x', 'y', 'z'];
    for (let round = 0; round < rounds; round++) {
      for (const name of others) create(name);
      for (const name of others) await isReady(name);
      await remove(others);
      // The dead sandboxes are collected a second after the pods have ended, and each takes a while.
      await sleep(700 + 150 * round);
      const pair = [`stays${round}`, `resized${round}`] as const;
      for (const name of pair) create(name);
      await sleep(300 * round);
      resize(pair[1], resources('40m'));
      const resized = await until('the end of the resize', async () => {
        const pod = get(pair[1]);
        return pod !== undefined && claimsAll(pod) && pod;
      });
      expect(cpuLimits(resized)).toEqual({ wanted: '40m', inForce: '40m' });
      await remove(pair);
    }
    expect(written.filter(claimsAll).length).toBeGreaterThanOrEqual(2 * rounds);
    const wrong = written.filter((pod) => claimsAll(pod) && cpuLimits(pod).wanted !== cpuLimits(pod).inForce);
    expect(wrong.map(({ metadata, status }) => [metadata?.name, status?.observedGeneration, status?.containerStatuses])).toEqual([]);
  });
});
