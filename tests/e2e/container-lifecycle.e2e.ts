import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Pod, PodSource } from '@nodeagent/api';
import { createNodeAgent, type NodeAgent } from '@nodeagent/core/node';
import { createCriClient } from '@nodeagent/cri-client';
import { buildPod, type ContainerInput } from '@nodeagent/testing';
import { beforeAll, expect, it } from 'vitest';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { removeFolder } from '../support/remove-folder.js';
import { firstProcessOf } from '../support/runtimes/container-processes.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { type PrivateRuntime, testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

const newerImage = 'localhost/busybox:2';

describeOnRuntimes('container lifecycle', ['2', '1.6'], (testRuntime) => {
  let runtime: PrivateRuntime;
  let work: string;
  let cri: ReturnType<typeof createCriClient>;
  let agent: NodeAgent;
  let source: PodSource;
  const events: string[] = [];
  /** Ids of containers in the order of their termination. */
  const stopped: string[] = [];
  /** The desired pods. */
  const wanted = new Map<string, Pod>();

  const run = (pod: Pod) => {
    wanted.set(pod.metadata?.name ?? '', pod);
    source.onPods?.([...wanted.values()]);
  };
  const remove = (name: string) => {
    wanted.delete(name);
    source.onPods?.([...wanted.values()]);
  };
  /** The pods of an API server, in a few words: unlike those of a file they can be resized. */
  const startAgent = async () => {
    const stopContainer: typeof cri.runtime.stopContainer = async (request, options) => {
      const answer = await cri.runtime.stopContainer(request, options);
      stopped.push(request.containerId ?? '');
      return answer;
    };
    source = { name: 'api', onPods: undefined, stop: async () => {}, start: async () => source.onPods?.([...wanted.values()]) };
    agent = createNodeAgent({
      nodeName: 'lifecycle',
      sources: [source],
      cri: { image: cri.image, runtime: { ...cri.runtime, stopContainer } },
      rootDir: join(work, 'root'),
      podLogsDir: join(work, 'logs'),
      nodeAllocatable: () => ({ cpu: '2', memory: '4Gi' }),
      settings: { containerLogMaxSize: '1Mi', containerLogMaxFiles: 500, containerLogMonitorIntervalMs: 3_000 },
    });
    agent.on('event', ({ object, reason, message }) => void events.push(`${object.name} ${object.fieldPath ?? ''} ${reason} ${message}`));
    await agent.start();
  };
  const statusOf = (name: string) => agent.pods().find(({ pod }) => pod.metadata?.name === name)?.status;
  const containerOf = (pod: string, name: string) => statusOf(pod)?.containerStatuses?.find((container) => container.name === name);
  const runningIds = async (pod: string) => {
    const filter = { labelSelector: { 'io.kubernetes.pod.name': pod }, state: { state: 'CONTAINER_RUNNING' } } as const;
    const { containers } = await cri.runtime.listContainers({ filter });
    return new Map(containers.map(({ id, labels }) => [labels['io.kubernetes.container.name'] ?? '', id]));
  };
  const isRunning = (name: string) => statusOf(name)?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  const logFolder = (pod: string, container: string) => {
    const folder = readdirSync(join(work, 'logs')).find((each) => each.startsWith(`default_${pod}_`)) ?? '';
    return join(work, 'logs', folder, container);
  };
  const readLog = (pod: string, container: string, file: string) => {
    const content = readFileSync(join(logFolder(pod, container), file));
    return (file.endsWith('.gz') ? gunzipSync(content) : content).toString();
  };
  const busybox = (name: string, script: string, more: Exclude<ContainerInput, string> = {}): ContainerInput => ({
    name,
    image: testImage,
    imagePullPolicy: 'IfNotPresent',
    command: ['sh', '-c', script],
    ...more,
  });
  const forever = (name: string, more: Exclude<ContainerInput, string> = {}) =>
    busybox(name, 'trap "exit 0" TERM; echo begin; while :; do sleep 0.1; done', more);

  beforeAll(async () => {
    runtime = await testRuntime.start();
    await runtime.addImage(newerImage);
    work = mkdtempSync(join(tmpdir(), 'nodeagent-lifecycle-'));
    cri = createCriClient({ endpoint: runtime.endpoint });
    await startAgent();
    // It logs while the other tests run, until its deletion.
    const lines = `awk -v from=$n 'BEGIN { for (i = from; i < from + 9000; i++) printf "line %d ${'x'.repeat(100)}\\n", i }'`;
    const script = `n=0; until [ -e /end ]; do ${lines}; n=$((n + 9000)); sleep 1; done; echo end $n; exec sleep 1000`;
    run(buildPod({ name: 'logger', terminationGracePeriodSeconds: 0, containers: [busybox('c', script)] }));
  });

  cleanUpAfterAll({
    'the agent': () => agent?.stop(),
    'the CRI client': () => cri?.close(),
    'the runtime': () => runtime?.cleanup(),
    'the folder': () => removeFolder(work),
  });

  const mark = (text: string) => ({ exec: { command: ['sh', '-c', `echo ${text} > /proc/1/fd/1`] } });
  const lifecycle = { postStart: mark('after start'), preStop: mark('before stop') };
  const whole = (imageOfB: string) =>
    buildPod({
      name: 'whole',
      terminationGracePeriodSeconds: 10,
      initContainers: [busybox('i1', 'echo one'), busybox('i2', 'echo two'), forever('side', { restartPolicy: 'Always' })],
      containers: [forever('a'), forever('b', { image: imageOfB, lifecycle })],
    });

  it('starts init containers, a sidecar and two containers in their order, and runs the postStart hook', async () => {
    run(whole(testImage));
    await until('the pod to be ready', async () => isRunning('whole'));
    const started = events.filter((event) => event.startsWith('whole') && event.includes(' Started ')).map((event) => event.split(' ')[1]);
    const order = ['initContainers{i1}', 'initContainers{i2}', 'initContainers{side}', 'containers{a}', 'containers{b}'];
    expect(started).toEqual(order.map((name) => `spec.${name}`));
    await until('the mark of postStart', async () => /stdout F after start\n/.test(readLog('whole', 'b', '0.log')));
  });

  it('restarts a container that was killed, and no other', async () => {
    const before = await runningIds('whole');
    process.kill(firstProcessOf(before.get('a') ?? ''), 'SIGKILL');
    await until('the restart', async () => containerOf('whole', 'a')?.restartCount === 1 && isRunning('whole'));
    const after = await runningIds('whole');
    expect([...after].filter(([name, id]) => before.get(name) !== id).map(([name]) => name)).toEqual(['a']);
    expect(containerOf('whole', 'a')?.lastState?.terminated).toMatchObject({ exitCode: 137 });
  });

  it('replaces the container whose image changes, after its preStop hook', async () => {
    const before = await runningIds('whole');
    run(whole(newerImage));
    await until('the new image', async () => containerOf('whole', 'b')?.restartCount === 1 && isRunning('whole'));
    const after = await runningIds('whole');
    expect([...after].filter(([name, id]) => before.get(name) !== id).map(([name]) => name)).toEqual(['b']);
    expect(events.filter((event) => event.includes('definition changed'))).toEqual([
      'whole spec.containers{b} Killing Container b definition changed, will be restarted',
    ]);
    expect(readLog('whole', 'b', '0.log')).toMatch(/ F after start\n(.*\n)*.* F before stop\n/);
  });

  it('keeps containers and restart counts when the agent is replaced', async () => {
    const before = await runningIds('whole');
    await agent.stop();
    await startAgent();
    await until('the pod to be adopted', async () => isRunning('whole'));
    expect(['a', 'b'].map((name) => containerOf('whole', name)?.restartCount)).toEqual([1, 1]);
    expect(await runningIds('whole')).toEqual(before);
  });

  it('increases the CPU of a running container without a restart', async () => {
    const sized = (request: string, limit: string) =>
      buildPod({
        name: 'sized',
        terminationGracePeriodSeconds: 0,
        containers: [forever('c', { resources: { requests: { cpu: request }, limits: { cpu: limit } } })],
      });
    run(sized('100m', '200m'));
    await until('the pod to be ready', async () => isRunning('sized'));
    const before = await runningIds('sized');
    const id = before.get('c') ?? '';
    expect(cpuQuota(id)).toBe(20_000);
    run(sized('150m', '300m'));
    await until('the end of the resize', async () =>
      events.some((event) => event.startsWith('sized') && event.includes('ResizeCompleted')),
    );
    expect(cpuQuota(id)).toBe(30_000);
    expect(await runningIds('sized')).toEqual(before);
    expect(containerOf('sized', 'c')).toMatchObject({
      restartCount: 0,
      resources: { limits: { cpu: '300m' }, requests: { cpu: '150m' } },
    });
    remove('sized');
  });

  it('rejects pods that do not fit the node', async () => {
    const asking = (name: string, cpu: string) => buildPod({ name, containers: [forever('c', { resources: { requests: { cpu } } })] });
    run(asking('too-large', '1000'));
    const elsewhere = buildPod({ name: 'elsewhere', containers: [forever('c')] });
    run({ ...elsewhere, spec: { containers: [], ...elsewhere.spec, nodeSelector: { disk: 'ssd' } } });
    await until('the rejections', async () => ['too-large', 'elsewhere'].every((name) => statusOf(name)?.phase === 'Failed'));
    expect(statusOf('too-large')).toMatchObject({
      reason: 'OutOfcpu',
      message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000000, used: 0, capacity: 2000",
    });
    expect(statusOf('elsewhere')).toMatchObject({
      reason: 'NodeAffinity',
      message: "Pod was rejected: Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
    });
    expect([...(await runningIds('too-large')), ...(await runningIds('elsewhere'))]).toEqual([]);
    remove('too-large');
    remove('elsewhere');
  });

  it('rejects a resize beyond the node, and defers one until another pod is removed', async () => {
    const asking = (name: string, cpu: string) =>
      buildPod({
        name,
        terminationGracePeriodSeconds: 0,
        containers: [forever('c', { resources: { requests: { cpu }, limits: { cpu: '100' } } })],
      });
    const pending = (name: string) => statusOf(name)?.conditions?.find(({ type }) => type === 'PodResizePending');
    run(asking('greedy', '1500m'));
    run(asking('waiting', '100m'));
    for (const name of ['greedy', 'waiting']) await until(`${name} to be ready`, async () => isRunning(name));
    const before = await runningIds('waiting');

    run(asking('waiting', '3'));
    await until('the refusal', async () => pending('waiting')?.reason === 'Infeasible');
    expect(pending('waiting')?.message).toBe("Node didn't have enough capacity: cpu, requested: 3000, capacity: 2000");

    run(asking('waiting', '1'));
    await until('the wait', async () => pending('waiting')?.reason === 'Deferred');
    await agent.stop();
    await startAgent();
    await until('the wait to go on', async () => isRunning('waiting') && pending('waiting')?.reason === 'Deferred');
    expect(containerOf('waiting', 'c')?.allocatedResources).toEqual({ cpu: '100m' });
    await until('the other pod to be adopted', async () => isRunning('greedy'));
    remove('greedy');
    await until('the end of the resize', async () => events.some((event) => event.startsWith('waiting  ResizeCompleted')));
    expect(containerOf('waiting', 'c')).toMatchObject({ restartCount: 0, resources: { requests: { cpu: '1' } } });
    expect(await runningIds('waiting')).toEqual(before);
    remove('waiting');
  });

  it('rejects a memory limit below the container’s usage', async () => {
    const limited = (memory: string) =>
      buildPod({
        name: 'hog',
        terminationGracePeriodSeconds: 0,
        containers: [
          busybox('c', 'x=$(head -c 40000000 /dev/zero | tr "\\0" x); echo full; while :; do sleep 1; done', {
            resources: { requests: { memory: '16Mi' }, limits: { memory } },
          }),
        ],
      });
    run(limited('256Mi'));
    await until('the memory to be in use', async () => isRunning('hog') && readLog('hog', 'c', '0.log').includes('full'));
    const before = await runningIds('hog');
    run(limited('32Mi'));
    await until('the refusal', async () =>
      events.some((event) => /^hog {2}ResizeError .*memory limit \(33554432\) below current usage \(\d+\)/.test(event)),
    );
    const progress = statusOf('hog')?.conditions?.find(({ type }) => type === 'PodResizeInProgress');
    expect(progress).toMatchObject({ status: 'True' });
    expect(containerOf('hog', 'c')).toMatchObject({ restartCount: 0, resources: { limits: { memory: '256Mi' } } });
    expect(await runningIds('hog')).toEqual(before);
    remove('hog');
  });

  it.runIf(testRuntime.name !== 'containerd 1.6')('mounts an image as a volume', async () => {
    run(
      buildPod({
        name: 'mounted',
        terminationGracePeriodSeconds: 0,
        volumes: [{ name: 'image', image: { reference: newerImage, pullPolicy: 'IfNotPresent' } }],
        containers: [
          busybox('c', 'cat /image/etc/passwd; touch /image/x || echo read-only; exec sleep 1000', {
            volumeMounts: [{ name: 'image', mountPath: '/image' }],
          }),
        ],
      }),
    );
    await until('the pod to be ready', async () => isRunning('mounted'));
    await until('its log', async () => / F root:x:0:0:(.*\n)*.* F read-only\n/.test(readLog('mounted', 'c', '0.log')));
    remove('mounted');
  });

  it('terminates a removed pod, the sidecar last, and cleans up', async () => {
    const ids = await runningIds('whole');
    stopped.length = 0;
    remove('whole');
    const filter = { labelSelector: { 'io.kubernetes.pod.name': 'whole' } };
    await until('containers and sandbox to go', async () => {
      const { containers } = await cri.runtime.listContainers({ filter });
      const { items } = await cri.runtime.listPodSandbox({ filter });
      return containers.length + items.length === 0;
    });
    await until('the logs to go', async () => !existsSync(logFolder('whole', 'b')));
    const order = stopped.flatMap((id) => [...ids].find(([, each]) => each === id)?.[0] ?? []);
    expect(order.toSorted()).toEqual(['a', 'b', 'side']);
    expect(order.at(-1)).toBe('side');
  });

  it('rotates the log of a container that writes 1 MiB a second without losing a line', async () => {
    const names = () => readdirSync(logFolder('logger', 'c')).sort();
    const whole = () => [...names().slice(1), '0.log'].map((name) => readLog('logger', 'c', name)).join('');
    // Not in the middle of a rotation: what is being compressed is there twice.
    const isSteady = (all: string[]) => !all.some((name) => name.endsWith('.tmp') || all.includes(`${name}.gz`));
    await until('three rotations', async () => names().filter((name) => name.endsWith('.gz')).length > 2);
    await cri.runtime.execSync({ containerId: (await runningIds('logger')).get('c') ?? '', cmd: ['touch', '/end'] });
    const text = await until('the end of the log', async () => {
      const before = names();
      const read = whole();
      return isSteady(before) && String(before) === String(names()) && / F end \d+\n/.test(read) && read;
    });
    // Where a rotation comes in the middle of a line, its beginning is an entry of the old file, tagged P, and its end one of the new.
    const output = text.replaceAll(/^\S+ stdout ([PF]) (.*)\n/gm, (_, tag, piece) => (tag === 'P' ? piece : `${piece}\n`));
    const numbers = [...output.matchAll(/^line (\d+) x+$/gm)].map(([, number]) => Number(number));
    const [, written] = /^end (\d+)$/m.exec(output) ?? [];
    expect(numbers.length).toBe(Number(written));
    expect(numbers.findIndex((number, index) => number !== index)).toBe(-1);
  });
});

/** The CFS quota in microseconds that is in force for a container. */
function cpuQuota(id: string): number {
  const cgroups = readFileSync(`/proc/${firstProcessOf(id)}/cgroup`, 'utf8');
  const [, controllers = '', path = ''] = /^\d+:((?:[^:]*,)?cpu(?:,[^:]*)?):(.*)$/m.exec(cgroups) ?? /^0:():(.*)$/m.exec(cgroups) ?? [];
  const folder = join('/sys/fs/cgroup', controllers, path);
  const file = ['cpu.cfs_quota_us', 'cpu.max'].map((name) => join(folder, name)).find(existsSync);
  if (file === undefined) throw new Error(`no CPU quota in ${folder}`);
  return Number.parseInt(readFileSync(file, 'utf8'), 10);
}
