import type { Container, ContainerStatus, Pod } from '@nodeagent/api';
import { isPodConditionTrue } from '@nodeagent/api/helpers';
import { createCriClient } from '@nodeagent/cri-client';
import { buildPod } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { useClusterNode } from '../support/agent/cluster-node.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

const forever = 'trap "exit 0" TERM; sleep infinity & wait $!';
/** Exits with 42 in its first two runs. */
const failsTwice = `echo run >> /shared/runs; [ $(wc -l < /shared/runs) -gt 2 ] || { sleep 2; exit 42; }; ${forever}`;

const busybox = (name: string, script: string, more: Partial<Container> = {}): Container => ({
  ...{ name, image: testImage, imagePullPolicy: 'IfNotPresent', command: ['sh', '-c', script], ...more },
});
/** With a grace period that a loaded runtime does not exceed: containerd fails to kill what ends just then. */
const pod = (name: string, spec: Partial<Parameters<typeof buildPod>[0]> = {}): Pod =>
  buildPod({ name, nodeName: 'e2e', terminationGracePeriodSeconds: 60, containers: [busybox('main', forever)], ...spec });

describeOnRuntimes('pods of a cluster', ['2', '1.6'], (testRuntime) => {
  const cluster = useClusterNode(testRuntime, { scheduler: false });

  const get = (name: string) => cluster.server.objects.get<Pod>('pods', name, 'default');
  const isReady = (name: string) => isPodConditionTrue(get(name)?.status, 'Ready');
  const create = (created: Pod) => {
    const { uid: _, resourceVersion: __, ...metadata } = created.metadata ?? {};
    cluster.server.objects.create({ ...created, metadata } as never);
  };
  const remove = (name: string) => cluster.server.objects.delete('pods', name, { namespace: 'default' });
  /** What a busy machine makes late, of which the log warns rightly: machines differ by a factor of five in that. */
  const lateness = [
    /^the runtime does not report container stats|failed to get summary stats$/,
    /^container runtime not ready: container runtime is down: it does not respond$/,
    /^cannot renew the lease$/,
  ];
  const isOfLateness = (msg: string) => lateness.some((late) => late.test(msg));
  const warningsFrom = (line: number) =>
    cluster.agent.lines.slice(line).filter(({ level, msg }) => level !== 'debug' && level !== 'info' && !isOfLateness(msg));

  it('restarts all containers of a pod in place when one exits with a code of its rule, each time', async () => {
    const restartAll = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];
    const shared = { volumeMounts: [{ name: 'shared', mountPath: '/shared' }] };
    create(
      pod('restarts', {
        restartPolicy: 'Never',
        volumes: [{ name: 'shared', emptyDir: {} }],
        initContainers: [busybox('init', 'true'), busybox('side', forever, { restartPolicy: 'Always' })],
        containers: [
          busybox('main', failsTwice, { restartPolicy: 'Never', restartPolicyRules: restartAll, ...shared }),
          busybox('other', forever),
        ],
      }),
    );
    const seen: string[] = [];
    await until('the second restart', async () => {
      const { initContainerStatuses = [], containerStatuses = [] } = get('restarts')?.status ?? {};
      const all: ContainerStatus[] = [...initContainerStatuses, ...containerStatuses];
      const counts = all.map(({ restartCount }) => restartCount).join(' ');
      if (seen.at(-1) !== counts) seen.push(counts);
      return isReady('restarts') && counts === '2 2 2 2';
    });
    expect(seen).toEqual(['', '0 0 0 0', '1 1 1 1', '2 2 2 2'].slice(seen[0] === '' ? 0 : 1));
    const { initContainerStatuses = [], containerStatuses = [] } = get('restarts')?.status ?? {};
    for (const { lastState } of [...initContainerStatuses, ...containerStatuses]) {
      expect(lastState?.terminated).toMatchObject({ exitCode: 137, reason: 'RestartingAllContainers' });
    }
    remove('restarts');
    await until('the pod to go', async () => get('restarts') === undefined);
  });

  it('starts 110 pods concurrently and terminates them concurrently without a warning', async () => {
    const names = Array.from({ length: 110 }, (_, index) => `many-${index}`);
    const from = cluster.agent.lines.length;
    for (const name of names) create(pod(name));
    await until('110 pods to be ready', async () => names.every(isReady), 150_000);
    for (const name of names) remove(name);
    await until('110 pods to go', async () => names.every((name) => get(name) === undefined), 150_000);
    // Their containers and sandboxes are collected within the next seconds.
    const { runtime, close } = createCriClient({ endpoint: cluster.runtime.endpoint });
    await until('the sandboxes to go', async () => (await runtime.listPodSandbox({})).items.length === 0);
    close();
    expect(warningsFrom(from)).toEqual([]);
  }, 400_000);
});
