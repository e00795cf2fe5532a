import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Node, Pod } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import { createDeviceTestPlugin, type DeviceTestPlugin } from '@nodeagent/device-manager/test-plugin';
import { seededRandom } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { lastLines } from '../support/agent/agent-process.js';
import { useClusterNode } from '../support/agent/cluster-node.js';
import { cgroupFolders, cgroupValues, expectedValues, kubepodsPath, podCgroups, readCgroup } from '../support/agent/node-cgroups.js';
import { readResourceCheckpoints } from '../support/agent/resource-checkpoints.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

const kills = Number(process.env.NODEAGENT_KILLS ?? 10);
const podCount = 6;
const resource = 'example.com/gpu';

interface Amounts {
  /** `status.qosClass` in lower case; the folder of guaranteed pods is `kubepods` itself. */
  qos: 'guaranteed' | 'burstable' | 'besteffort';
  milliCpu: number;
  /** Whether the container gets a device. */
  hasDevice: boolean;
}

/** The agent with all resource managers. CPU 0 is reserved by the rounding of 100m, so that the others are for exclusive use. */
const configuration = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  kubeReserved: { cpu: '100m' },
  cpuManagerPolicy: 'static',
  cpuManagerReconcilePeriod: '1s',
  memoryManagerPolicy: 'Static',
  reservedMemory: [{ numaNode: 0, limits: { memory: '100Mi' } }],
  evictionHard: { 'memory.available': '100Mi' },
  topologyManagerPolicy: 'best-effort',
};

describeOnRuntimes('cgroups and checkpoints of an agent that is killed', ['2', '1.6'], (testRuntime) => {
  const seed = Number(process.env.SIMULATION_SEED ?? Date.now() % 1_000_000);
  const random = seededRandom(seed);
  console.log(`seed ${seed}: SIMULATION_SEED=${seed}`);
  const folder = mkdtempSync(join(tmpdir(), 'nodeagent-kills-'));
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify(configuration));
  const cluster = useClusterNode(testRuntime, { flags: ['--config', config] });
  let plugin: DeviceTestPlugin | undefined;
  let pluginEnded = () => {};
  cleanUpAfterAll({ 'the plugin': () => pluginEnded(), 'the configuration': () => rmSync(folder, { recursive: true }) });
  const pods = () => cluster.server.objects.list<Pod>('pods');
  const amounts = new Map<string, Amounts>();
  let created = 0;

  const resourcesOf = ({ qos, milliCpu, hasDevice }: Amounts) => {
    const cpu = `${milliCpu}m`;
    const devices: Record<string, string> = hasDevice ? { [resource]: '1' } : {};
    if (qos === 'besteffort') return { requests: devices, limits: devices };
    if (qos === 'guaranteed') return { requests: { cpu, memory: '32Mi', ...devices }, limits: { cpu, memory: '32Mi', ...devices } };
    return { requests: { cpu, memory: '16Mi', ...devices }, limits: { cpu: '200m', memory: '64Mi', ...devices } };
  };
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

  /** As a device plugin does: once the agent has a new `kubelet.sock`, listens on another socket, and registers. */
  async function keepPluginRegistered(signal: AbortSignal): Promise<void> {
    const pluginDir = join(cluster.work.root, 'device-plugins');
    const devices = ['gpu0', 'gpu1', 'gpu2'].map((id) => ({ id }));
    const allocate = (ids: string[]) => ({ envs: { VISIBLE_DEVICES: ids.join(',') } });
    // A new socket can have the inode of the removed one.
    const socketOf = () => statSync(join(pluginDir, 'kubelet.sock'), { throwIfNoEntry: false })?.ctimeMs;
    for (let [registered, attempt]: [number | undefined, number] = [undefined, 0]; !signal.aborted; await sleep(50)) {
      const socket = socketOf();
      if (socket === undefined || socket === registered) continue;
      await plugin?.stop();
      plugin = createDeviceTestPlugin({ resource, pluginDir, endpoint: `plugin-${attempt++}.sock`, devices, allocate });
      try {
        await plugin.start();
        await plugin.register();
        registered = socket;
      } catch {
        // The agent is killed: the next one has another socket.
      }
    }
    await plugin?.stop();
  }

  /** Some run until they are deleted, some end after a second. Those of a whole CPU get it exclusively, if it is free. */
  const draw = (): Amounts => {
    const hasDevice = random() < 0.3;
    const qos = pick(['guaranteed', 'burstable', 'besteffort'] as const);
    return { qos, milliCpu: qos === 'guaranteed' && random() < 0.5 ? 1_000 : pick([20, 40, 60]), hasDevice };
  };
  function create(given = draw(), ends = random() < 0.25): void {
    const name = `pod-${created++}`;
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
    // Guaranteed pods cannot be resized with these managers.
    if (given?.qos !== 'burstable') return;
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

  const nodeDevices = () => Number(cluster.server.objects.get<Node>('nodes', cluster.name)?.status?.allocatable?.[resource] ?? 0);
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

  it(`after ${kills} kills exactly the pods that run have cgroups, with the values of their specs, CPUs and devices`, {
    timeout: 300_000,
  }, async () => {
    const ended = new AbortController();
    pluginEnded = () => ended.abort();
    void keepPluginRegistered(ended.signal);
    for (let killed = 0; killed < kills; killed++) {
      churn();
      // Before its first line it has only loaded its code.
      await cluster.agent.line('the agent to begin', () => true);
      await sleep(random() * random() * 2_000);
      await cluster.agent.end('SIGKILL');
      cluster.restart();
    }
    console.log(`killed ${kills} times while ${created} pods were created and ${created - pods().length} removed`);

    // Of several pods of a whole CPU the scheduler leaves all but one without a node.
    for (const { metadata, spec } of pods()) if (spec?.nodeName == null) cluster.server.objects.delete('pods', metadata?.name ?? '');
    const running = () => pods().filter((pod) => !hasEnded(pod));
    const amountsOf = ({ metadata }: Pod) => amounts.get(metadata?.name ?? '') as Amounts;
    const isPinned = (pod: Pod) => amountsOf(pod).milliCpu === 1_000;
    await until('the devices of the node', async () => nodeDevices() === 3).catch((error) => {
      throw new Error(`the last lines of the agent:\n${lastLines(cluster.agent.lines)}`, { cause: error });
    });
    // A terminating pod still has its CPU, and so has one that is about to end.
    await until('the removal of deleted pods', async () => pods().every(({ metadata }) => metadata?.deletionTimestamp == null));
    await until('the end of those that end', async () => running().every(({ spec }) => spec?.restartPolicy === 'Always'));
    const unsettled = () => pods().filter((pod) => pod.metadata?.deletionTimestamp != null || !(hasEnded(pod) || isPodReady(pod)));
    const settled = () =>
      until('all pods to run or to have ended', async () => unsettled().length === 0).catch(() => expect(unsettled()).toEqual([]));
    await settled();
    // Its admission releases what ended pods had.
    create({ qos: 'besteffort', milliCpu: 0, hasDevice: false }, false);
    await settled();
    if (!running().some(isPinned)) create({ qos: 'guaranteed', milliCpu: 1_000, hasDevice: true }, false);
    await settled();
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
      if (milliCpu === 1_000) return expectedValues({ shares, memory: '32Mi' });
      if (qos === 'guaranteed') return expectedValues({ shares, quota: milliCpu * 100, memory: '32Mi' });
      return expectedValues({ shares, quota: 20_000, memory: '64Mi' });
    };
    const values = () => running().map((pod) => [pod.metadata?.name, ...cgroupValues(pathOf(pod))]);
    const wanted = () => running().map((pod) => [pod.metadata?.name, ...expected(pod)]);
    await until('the resizes to be in force', async () => values().join() === wanted().join()).catch(() =>
      expect(values()).toEqual(wanted()),
    );
    const containerOf = ({ status }: Pod) => status?.containerStatuses?.[0]?.containerID?.replace(/^.*:\/\//, '') ?? '';
    for (const pod of running())
      expect(readCgroup(`${pathOf(pod)}/${containerOf(pod)}`, 'cgroup.procs'), pod.metadata?.name).toMatch(/^\d+/);

    // What the managers assigned is what the containers have, and no more is recorded.
    const uidOf = ({ metadata }: Pod) => metadata?.uid ?? '';
    const inContainer = (pod: Pod, file: string) => readCgroup(`${pathOf(pod)}/${containerOf(pod)}`, file) ?? '';
    const devicesOf = (pod: Pod) => {
      const [pid] = inContainer(pod, 'cgroup.procs').split('\n');
      return /(?:^|\0)VISIBLE_DEVICES=([^\0]*)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1];
    };
    const pinned = running().filter(isPinned);
    const withDevice = running().filter((pod) => amountsOf(pod).hasDevice);
    const checkpoints = readResourceCheckpoints(cluster.work.root);
    console.log(`checkpoints: ${JSON.stringify(checkpoints)}`);
    expect(pinned.length).toBeGreaterThan(0);
    expect(checkpoints.exclusiveCpus).toEqual(Object.fromEntries(pinned.map((pod) => [uidOf(pod), inContainer(pod, 'cpuset.cpus')])));
    const shared = running().filter((pod) => !isPinned(pod));
    const cpusOfShared = () => shared.map((pod) => inContainer(pod, 'cpuset.cpus'));
    await until('the others to have the shared CPUs', async () => cpusOfShared().every((cpus) => cpus === checkpoints.sharedCpus)).catch(
      () => expect(cpusOfShared()).toEqual(shared.map(() => checkpoints.sharedCpus)),
    );
    const guaranteed = running().filter((pod) => amountsOf(pod).qos === 'guaranteed');
    expect(checkpoints.memory).toEqual(guaranteed.map(uidOf).sort());
    expect(checkpoints.devices).toEqual(Object.fromEntries(withDevice.map((pod) => [uidOf(pod), [devicesOf(pod)]])));
    const devices = Object.values(checkpoints.devices).flat();
    expect(new Set(devices).size).toBe(devices.length);

    for (const { metadata } of pods()) cluster.server.objects.delete('pods', metadata?.name ?? '');
    await until('all pods and cgroups to be removed', async () => pods().length === 0 && podCgroups(cluster.work.root).size === 0);
  });
});
