import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Node, Pod, PodSpec } from '@nodeagent/api';
import { expect, it } from 'vitest';
import { type AgentProcess, startAgent, startCommand } from '../support/agent/agent-process.js';
import { useClusterNode } from '../support/agent/cluster-node.js';
import { createWorkspace } from '../support/agent/workspace.js';
import { createNetworkNamespace } from '../support/network-namespace.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { testImage } from '../support/runtimes/private-runtime.js';
import { until } from '../support/until.js';

describeOnRuntimes('a node of a cluster', ['2', '1.6'], (testRuntime) => {
  const cluster = useClusterNode(testRuntime);

  const node = () => cluster.server.objects.get<Node>('nodes', cluster.name);
  const pod = (name: string) => cluster.server.objects.get<Pod>('pods', name);
  const addresses = () => node()?.status?.addresses?.flatMap(({ type, address }) => (type === 'InternalIP' ? [address] : []));

  /** What the only container of a pod logs that prints its environment and ends. */
  async function environmentOf(name: string, spec: Partial<PodSpec> = {}): Promise<Record<string, string>> {
    const limitOf = (resource: string, divisor: string) => ({ resourceFieldRef: { resource: `limits.${resource}`, divisor } });
    const fieldOf = (field: string) => ({ fieldRef: { fieldPath: `status.${field}` } });
    const env = [
      { name: 'CPU', valueFrom: limitOf('cpu', '1m') },
      { name: 'MEMORY', valueFrom: limitOf('memory', '1') },
      { name: 'POD_IP', valueFrom: fieldOf('podIP') },
      { name: 'POD_IPS', valueFrom: fieldOf('podIPs') },
      { name: 'HOST_IP', valueFrom: fieldOf('hostIP') },
    ];
    const container = { name: 'c', image: testImage, imagePullPolicy: 'IfNotPresent', command: ['env'], env };
    cluster.server.objects.create<Pod>({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default' },
      spec: { restartPolicy: 'Never', ...spec, containers: [container] },
    });
    await until(`${name} to end`, async () => pod(name)?.status?.phase === 'Succeeded');
    const logs = join(cluster.work.root, 'logs');
    const folder = readdirSync(logs).find((each) => each.startsWith(`default_${name}_`)) ?? '';
    const log = readFileSync(join(logs, folder, 'c/0.log'), 'utf8');
    return Object.fromEntries(Array.from(log.matchAll(/ F (\w+)=(.*)$/gm), ([, key, value]) => [key, value]));
  }

  it('registers without a warning, with its lease and the features that a kubelet declares without an HTTP API', async () => {
    await until('the lease', async () => cluster.server.objects.get('leases', cluster.name, 'kube-node-lease'));
    expect(node()?.status?.declaredFeatures).toEqual([
      'InPlacePodLevelResourcesVerticalScaling',
      'InPlacePodVerticalScalingInitContainers',
      'RestartAllContainersOnContainerExits',
    ]);
    expect(cluster.agent.lines.filter(({ msg }) => /cannot|fail|unable/i.test(msg))).toEqual([]);
  });

  it('gives a container without limits the allocatable resources of the node as its limits', async () => {
    const { cpu = '', memory = '' } = node()?.status?.allocatable ?? {};
    const { CPU, MEMORY } = await environmentOf('without-limits');
    expect(CPU).toBe(String(Number(cpu) * 1000));
    expect(MEMORY).toBe(String(Number(/^(\d+)Ki$/.exec(memory)?.[1]) * 1024));
  });

  it('gives it the limits of the pod, if that has any', async () => {
    const environment = await environmentOf('pod-limits', { resources: { limits: { cpu: '1250m', memory: '64Mi' } } });
    expect(environment).toMatchObject({ CPU: '1250', MEMORY: '67108864' });
  });

  it('gives a pod on the host network the addresses of the node', async () => {
    const { POD_IP, POD_IPS, HOST_IP } = await environmentOf('host-network', { hostNetwork: true });
    expect(addresses()).toEqual([POD_IP]);
    expect([POD_IPS, HOST_IP]).toEqual([POD_IP, POD_IP]);
    expect(pod('host-network')?.status?.podIP).toBe(POD_IP);
  });

  it('reports --node-ip of an interface without a carrier, as soon as that has it', { timeout: 120_000 }, async () => {
    const space = createWorkspace();
    const network = createNetworkNamespace();
    const { prefix } = network;
    const [program = '', ...before] = prefix;
    const inside = (...command: string[]) => execFileSync(program, [...before, ...command], { encoding: 'utf8', cwd: packageFolder });
    const kubeconfig = join(space.dir, 'config');
    const simulated = startCommand(['simulate-cluster', '--nodes', '0', '--kubeconfig', kubeconfig], { prefix });
    let member: AgentProcess | undefined;
    try {
      await simulated.line('the cluster', ({ msg }) => msg.startsWith('simulated cluster'));
      // Its other end is down: a cable that is unplugged there.
      inside('ip', 'link', 'add', 'cable0', 'type', 'veth', 'peer', 'name', 'cable1');
      inside('ip', 'link', 'set', 'cable0', 'up');
      member = startAgent([...space.flags, '--kubeconfig', kubeconfig, '--node-ip', '10.0.0.7'], { prefix });
      await member.line('the failure', ({ msg }) => msg === "cannot get the node's addresses");
      await member.line('the registration', ({ msg }) => msg === 'node registered');
      inside('ip', 'addr', 'add', '10.0.0.7/24', 'dev', 'cable0');
      expect(inside('ip', 'link', 'show', 'cable0')).toContain('NO-CARRIER');
      const reported = () => inside(process.execPath, '--input-type=module', '-e', readNodeScript, kubeconfig);
      await until('the address', async () => reported().includes('InternalIP 10.0.0.7'), 5_000);
    } finally {
      await member?.end('SIGKILL');
      await simulated.end('SIGKILL');
      network.remove();
      space.remove();
    }
  });
});

/** Where `@nodeagent/kube-client` is found. */
const packageFolder = fileURLToPath(new URL('../../packages/cli', import.meta.url));

/** Prints the addresses of the node. */
const readNodeScript = `
import { connectKubeClient, loadKubeconfig } from '@nodeagent/kube-client/node';
const client = connectKubeClient({ cluster: await loadKubeconfig({ path: process.argv[1] }) });
const { status } = await client.nodes.get({ name: 'e2e' });
for (const { type, address } of status.addresses ?? []) console.log(type, address);
client.closeConnections();
`;
