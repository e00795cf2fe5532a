import { setTimeout as sleep } from 'node:timers/promises';
import { isPodReady, type Pod } from '@nodeagent/api';
import { seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { useClusterNode } from '../support/agent/cluster-node.js';
import { cgroupFolders, cgroupValues, expectedValues, kubepodsPath, podCgroups, readCgroup } from '../support/agent/node-cgroups.js';
import { testImage } from '../support/containerd/containerd.js';
import { describeOnContainerd } from '../support/containerd/describe-on-containerd.js';
import { until } from '../support/until.js';

const kills = 30;
const podCount = 6;
/** Until the test stops killing, however many times it has by then. */
const budgetMs = 75_000;

interface Amounts {
  /** `status.qosClass` in lower case; the folder of guaranteed pods is `kubepods` itself. */
  qos: 'guaranteed' | 'burstable' | 'besteffort';
  milliCpu: number;
}

describeOnContainerd('cgroups of an agent that is killed', ['2', '1.6'], (binaries) => {
  const seed = Number(process.env.SIMULATION_SEED ?? Date.now() % 1_000_000);
  const random = seededRandom(seed);
  console.log(`seed ${seed}: SIMULATION_SEED=${seed}`);
  const cluster = useClusterNode(binaries);
  const pods = () => cluster.server.objects.list<Pod>('pods');
  const amounts = new Map<string, Amounts>();
  let created = 0;

  const resourcesOf = ({ qos, milliCpu }: Amounts) => {
    const cpu = `${milliCpu}m`;
    if (qos === 'besteffort') return {};
    if (qos === 'guaranteed') return { requests: { cpu, memory: '32Mi' }, limits: { cpu, memory: '32Mi' } };
    return { requests: { cpu, memory: '16Mi' }, limits: { cpu: '200m', memory: '64Mi' } };
  };
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

  /** Some run until they are deleted, some end after a second. */
  function create(): void {
    const name = `pod-${created++}`;
    const ends = random() < 0.25;
    const given: Amounts = { qos: pick(['guaranteed', 'burstable', 'besteffort']), milliCpu: pick([20, 40, 60]) };
    amounts.set(name, given);
    cluster.server.objects.create<Pod>({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: {
        terminationGracePeriodSeconds: 1,
        restartPolicy: ends ? 'Never' : 'Always',
        containers: [
          {
            name: 'main',
            image: testImage,
            imagePullPolicy: 'IfNotPresent',
            command: ends ? ['sleep', '1'] : ['sh', '-c', 'trap "exit 0" TERM; sleep infinity & wait $!'],
            resources: resourcesOf(given),
          },
        ],
      },
    });
  }

  function resize(name: string): void {
    const given = amounts.get(name);
    if (given === undefined || given.qos === 'besteffort') return;
    const next = { ...given, milliCpu: pick([20, 40, 60]) };
    amounts.set(name, next);
    cluster.server.objects.update<Pod>(
      'pods',
      name,
      ({ spec }) => {
        for (const container of spec?.containers ?? []) container.resources = resourcesOf(next);
      },
      { subresource: 'resize' },
    );
  }

  const hasEnded = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed';

  /** A few pods are deleted or resized, and as many are created. */
  function churn(): void {
    for (const pod of pods()) {
      const { name = '', deletionTimestamp } = pod.metadata ?? {};
      if (deletionTimestamp != null) continue;
      const chance = random();
      if (chance < 0.15 || hasEnded(pod)) cluster.server.objects.delete('pods', name);
      else if (chance < 0.35) resize(name);
    }
    while (pods().length < podCount) create();
  }

  it(`after ${kills} kills exactly the pods that run have cgroups, with the values of their specs`, { timeout: 180_000 }, async () => {
    const limit = Date.now() + budgetMs;
    let killed = 0;
    while (killed < kills && Date.now() < limit) {
      churn();
      // Before its first line it has only loaded its code.
      await cluster.agent.line('the agent to begin', () => true);
      await sleep(random() * random() * 2_000);
      await cluster.agent.end('SIGKILL');
      cluster.restart();
      killed++;
    }
    console.log(`killed ${killed} times while ${created} pods were created and ${created - pods().length} removed`);
    expect(killed).toBe(kills);

    const running = () => pods().filter((pod) => !hasEnded(pod));
    await until('all pods to run or to have ended', async () =>
      pods().every((pod) => pod.metadata?.deletionTimestamp == null && (hasEnded(pod) || isPodReady(pod))),
    );
    const uids = () =>
      running()
        .map(({ metadata }) => metadata?.uid ?? '')
        .sort();
    await until(
      'the cgroups to match the pods',
      async () => Array.from(podCgroups(cluster.work.root).keys()).join() === uids().join(),
    ).catch(() => expect(Array.from(podCgroups(cluster.work.root).keys())).toEqual(uids()));
    const hierarchies = cgroupFolders(kubepodsPath(cluster.work.root)).length;
    expect(new Set(podCgroups(cluster.work.root).values())).toEqual(new Set(uids().length > 0 ? [hierarchies] : []));

    const pathOf = ({ metadata }: Pod) => {
      const { qos } = amounts.get(metadata?.name ?? '') as Amounts;
      return kubepodsPath(cluster.work.root, ...(qos === 'guaranteed' ? [] : [qos]), `pod${metadata?.uid}`);
    };
    const expected = ({ metadata }: Pod) => {
      const { qos, milliCpu } = amounts.get(metadata?.name ?? '') as Amounts;
      const shares = Math.trunc((milliCpu * 1024) / 1000);
      if (qos === 'besteffort') return expectedValues({ shares: 2 });
      if (qos === 'guaranteed') return expectedValues({ shares, quota: milliCpu * 100, memory: '32Mi' });
      return expectedValues({ shares, quota: 20_000, memory: '64Mi' });
    };
    const values = () => running().map((pod) => [pod.metadata?.name, ...cgroupValues(pathOf(pod))]);
    const wanted = () => running().map((pod) => [pod.metadata?.name, ...expected(pod)]);
    await until('the resizes to be in force', async () => values().join() === wanted().join()).catch(() =>
      expect(values()).toEqual(wanted()),
    );
    const containerOf = ({ status }: Pod) => status?.containerStatuses?.[0]?.containerID?.replace('containerd://', '') ?? '';
    for (const pod of running())
      expect(readCgroup(`${pathOf(pod)}/${containerOf(pod)}`, 'cgroup.procs'), pod.metadata?.name).toMatch(/^\d+/);

    for (const { metadata } of pods()) cluster.server.objects.delete('pods', metadata?.name ?? '');
    await until('all pods and cgroups to be removed', async () => pods().length === 0 && podCgroups(cluster.work.root).size === 0);
  });
});
