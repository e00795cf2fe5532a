import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node, Pod } from '@nodeagent/api';
import { createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AgentProcess, startAgent, startCommand } from '../support/agent/agent-process.js';
import { createWorkspace, shellPod, type Workspace } from '../support/agent/workspace.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { createKubectl, type Kubectl } from '../support/kubectl/kubectl.js';
import { provideKubectl } from '../support/kubectl/provide-kubectl.js';
import { type Relay, startRelay } from '../support/relay.js';
import { until } from '../support/until.js';

const required = process.env.NODEAGENT_E2E === 'required';
const binary = provideKubectl(required);

/** Runs until SIGTERM, and exits immediately. */
const untilSignal = 'trap "exit 0" TERM; sleep infinity & wait $!';

const deployment = (replicas: number, image: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec:
      terminationGracePeriodSeconds: 2
      containers: [{ name: main, image: "${image}", command: [sh, -c, 'trap "exit 0" TERM; sleep infinity & wait $!'] }]
`;

/**
 * One story: `nodeagent run --kubeconfig` on the embedded runtime, a separate process, joins the test API server over HTTPS, and a user
 * works with kubectl.
 */
function clusterSuite(binary: string): void {
  let work: Workspace;
  let server: TestApiServer;
  let relay: Relay;
  let runtime: AgentProcess;
  let agent: AgentProcess;
  let kubectl: Kubectl;
  let succeeds: Kubectl['succeeds'];
  let seen = '';

  const launchAgent = () =>
    startAgent([
      ...work.flags,
      ...['--runtime-endpoint', `unix://${join(work.dir, 'cri.sock')}`, '--kubeconfig', join(work.dir, 'node-config')],
      ...['--node-labels', 'disk=fast'],
    ]);
  const pod = (name: string, namespace = 'default') => server.objects.get<Pod>('pods', name, namespace);
  const apply = (manifest: string) => succeeds('apply -f -', manifest);
  const ready = (name: string) => succeeds(`wait pod ${name} --for=condition=Ready --timeout=60s`);
  const restarts = (name: string) => pod(name)?.status?.containerStatuses?.[0]?.restartCount;

  beforeAll(async () => {
    work = createWorkspace();
    server = createTestApiServer({ network: machineNetwork, scheduler: true, workloads: true, nodeRestriction: true });
    const port = Number(new URL(await server.listen({ tls: true })).port);
    relay = await startRelay(port);
    writeFileSync(join(work.dir, 'config'), server.kubeconfig({ user: { username: 'jane', groups: ['system:masters'] } }));
    const identity = { username: 'system:node:e2e', groups: ['system:nodes'] };
    writeFileSync(join(work.dir, 'node-config'), server.kubeconfig({ user: identity }).replace(`:${port}`, `:${relay.port}`));
    kubectl = createKubectl(binary, work.dir);
    succeeds = kubectl.succeeds;
    work.write('static.yaml', shellPod('static', untilSignal));
    runtime = startCommand([
      'runtime',
      '--type',
      'process',
      '--socket',
      join(work.dir, 'cri.sock'),
      '--root-dir',
      join(work.dir, 'runtime'),
    ]);
    await runtime.line('the socket', ({ msg }) => msg.includes('serving CRI'));
    agent = launchAgent();
  });
  cleanUpAfterAll({
    'the agent': () => agent?.end('SIGKILL'),
    'the runtime': () => runtime?.end('SIGKILL'),
    'the relay': () => relay?.cut(),
    'the API server': () => server?.close(),
    'the folder': () => work?.remove(),
  });

  it('get nodes: the machine is there, ready, with its version, address and runtime', async () => {
    await until('the node', async () => server.objects.get<Node>('nodes', 'e2e'));
    await succeeds('wait node e2e --for=condition=Ready --timeout=60s');
    // A role is an administrator's to set: NodeRestriction refuses it to the node.
    await succeeds('label node e2e node-role.kubernetes.io/worker=');
    expect(await succeeds('get nodes')).toMatch(/^NAME +STATUS +ROLES +AGE +VERSION\ne2e +Ready +worker +\d+s +v1\.36\.\d+\n$/);
    expect(await succeeds('get nodes -o wide')).toMatch(
      / INTERNAL-IP .* CONTAINER-RUNTIME\ne2e .* \d+\.\d+\.\d+\.\d+ +<none> .+ \d+\.\d+.* \S+:\/\/\S+\n$/,
    );
    const described = await succeeds('describe node e2e');
    expect(described).toMatch(/Ready +True .* KubeletReady +kubelet is posting ready status/);
    expect(described).toMatch(/Allocatable:\n +cpu: +\d+\n/);
    await until('the lease', async () => /\ne2e +e2e +/.test(await succeeds('get leases -n kube-node-lease')));
    expect(await succeeds('get nodes -l disk=fast -o name')).toBe('node/e2e\n');
  });

  it('get pods -o wide and -w: a pod from Pending to Running, with its address and its node', async () => {
    const watch = kubectl.start('get pods -w');
    watch.stdout.on('data', (data) => {
      seen += data;
    });
    await until('kubectl watches', async () => /static-e2e/.test(seen));
    expect(await apply(shellPod('web', untilSignal))).toBe('pod/web created\n');
    expect(await ready('web')).toBe('pod/web condition met\n');
    expect(await succeeds('get pods web -o wide')).toMatch(
      /^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES\nweb +1\/1 +Running +0 +\d+s +[\d.]+ +e2e +<none> +<none>\n$/,
    );
    await until('what kubectl saw', async () => /\nweb +1\/1 +Running/.test(seen));
    expect(seen).toMatch(/\nweb +0\/1 +Pending [\s\S]*\nweb +0\/1 +ContainerCreating [\s\S]*\nweb +1\/1 +Running /);
  });

  it('describe pod: its events', async () => {
    const described = await until('its events', async () => {
      const text = await succeeds('describe pod web');
      return text.includes('Started') && text;
    });
    expect(described).toMatch(/Node: +e2e\/[\d.]+\n/);
    expect(described).toMatch(/ContainersReady +True/);
    expect(described).toMatch(
      /Normal +Scheduled .* default-scheduler +Successfully assigned default\/web to e2e\n[\s\S]* Pulled .* kubelet +Container image "host:1" already present on machine[\s\S]* Created .* kubelet +Container created\n[\s\S]* Started .* kubelet +Container started\n/,
    );
    expect(await succeeds('get events --field-selector involvedObject.name=web -o name')).toMatch(/^(event\/web\.\w+\n){4}$/);
  });

  it('label, annotate, patch and edit: changes reach the container', async () => {
    await succeeds('label pod web team=a');
    await succeeds('annotate pod web note=blue');
    await succeeds('edit pod web');
    expect(pod('web')?.metadata).toMatchObject({ labels: { team: 'a' }, annotations: { note: 'green' } });
    expect(restarts('web')).toBe(0);
    await succeeds('patch pod web -p {"spec":{"containers":[{"name":"main","image":"host:2"}]}}');
    await until('the restart', async () => restarts('web') === 1);
    await ready('web');
    expect(pod('web')?.status?.containerStatuses?.[0]?.image).toContain('host:2');
  });

  it('a pod that succeeds is Completed, one that fails is Error', async () => {
    await succeeds(['run', 'done', '--image=host:1', '--restart=Never', '--command', '--', 'sh', '-c', 'sleep 1']);
    await succeeds(['run', 'failed', '--image=host:1', '--restart=Never', '--command', '--', 'sh', '-c', 'exit 3']);
    await succeeds('wait pod done --for=jsonpath={.status.phase}=Succeeded --timeout=60s');
    await succeeds('wait pod failed --for=jsonpath={.status.phase}=Failed --timeout=60s');
    await until('what kubectl saw', async () => /\ndone +0\/1 +Completed /.test(seen) && /\nfailed +0\/1 +Error /.test(seen));
    expect(seen).toMatch(/\ndone +1\/1 +Running [\s\S]*\ndone +0\/1 +Completed /);
    await succeeds('delete pod done failed');
  });

  it('delete: waits for graceful termination', async () => {
    await apply(shellPod('slow', `trap "sleep 2; echo end >> ${work.dir}/ends; exit 0" TERM; while true; do sleep 0.1; done`));
    await ready('slow');
    expect(await succeeds('delete pod slow')).toContain('pod "slow" deleted');
    expect(work.read('ends')).toBe('end\n');
    expect((await kubectl.run('get pod slow')).out).toContain('pods "slow" not found');
    expect(seen).toMatch(/\nslow +1\/1 +Terminating /);
  });

  it('environments come from configMaps and secrets', async () => {
    await succeeds('create configmap settings --from-literal=colour=blue');
    await succeeds('create secret generic login --from-literal=password=s3cret');
    const env = `      env:
        - { name: COLOUR, valueFrom: { configMapKeyRef: { name: settings, key: colour } } }
      envFrom: [{ prefix: LOGIN_, secretRef: { name: login } }]
`;
    await apply(shellPod('environment', `echo "$COLOUR $LOGIN_password" > ${work.dir}/environment; ${untilSignal}`) + env);
    await ready('environment');
    expect(work.read('environment')).toBe('blue s3cret\n');
    await apply(shellPod('lacking', untilSignal) + env.replace('name: settings', 'name: lacking'));
    await until('the reason', async () => /\nlacking +0\/1 +CreateContainerConfigError /.test(seen));
    await succeeds('create configmap lacking --from-literal=colour=red');
    await ready('lacking');
    await succeeds('delete pod environment lacking');
  });

  it('the node rejects a pod that does not fit', async () => {
    const spec = '  nodeName: e2e\n';
    const big = shellPod('big', untilSignal, spec).concat('      resources: { requests: { cpu: "1000" } }\n');
    await apply(big);
    await until('the refusal', async () => pod('big')?.status?.phase === 'Failed');
    expect(await succeeds('get pod big')).toMatch(/\nbig +0\/1 +OutOfcpu /);
    const elsewhere = `${spec}  nodeSelector: { disk: slow }\n`;
    await apply(shellPod('elsewhere', untilSignal, elsewhere));
    await until('the refusal', async () => pod('elsewhere')?.status?.phase === 'Failed');
    expect(await succeeds('get pod elsewhere')).toMatch(/\nelsewhere +0\/1 +NodeAffinity /);
    await succeeds('delete pod big elsewhere');
  });

  it('static pods have mirror pods, which are re-created', async () => {
    expect(await succeeds('get pod static-e2e')).toMatch(/\nstatic-e2e +1\/1 +Running +0 /);
    const before = pod('static-e2e');
    expect(before?.metadata?.annotations).toHaveProperty(['kubernetes.io/config.mirror']);
    expect(before?.metadata?.ownerReferences).toMatchObject([{ kind: 'Node', name: 'e2e', controller: true }]);
    const pids = work.containerProcesses();
    await succeeds('delete pod static-e2e --wait=false');
    await until('a new mirror', async () => pod('static-e2e')?.metadata?.uid !== before?.metadata?.uid && pod('static-e2e'));
    await ready('static-e2e');
    expect(work.containerProcesses()).toEqual(pids);
  });

  it('rollout, scale and undo of a Deployment', async () => {
    await apply(deployment(2, 'host:1'));
    expect(await succeeds('rollout status deployment shop --timeout=60s')).toContain('successfully rolled out');
    expect(await succeeds('get deployment shop')).toMatch(/\nshop +2\/2 +2 +2 /);
    await succeeds('set image deployment shop main=host:2');
    await succeeds('rollout status deployment shop --timeout=60s');
    const images = () => succeeds('get pods -l app=shop -o jsonpath={.items[*].spec.containers[0].image}');
    await until('the old pods to go', async () => (await images()) === 'host:2 host:2');
    await succeeds('rollout undo deployment shop');
    await succeeds('rollout status deployment shop --timeout=60s');
    await until('the old pods to go', async () => (await images()) === 'host:1 host:1');
    await succeeds('scale deployment shop --replicas=3');
    await until('three pods', async () => /\nshop +3\/3 /.test(await succeeds('get deployment shop')));
  });

  it('a killed and restarted agent restarts no container', async () => {
    const pids = work.containerProcesses();
    expect(pids.length).toBeGreaterThanOrEqual(5);
    const before = restarts('web');
    await agent.end('SIGKILL');
    expect(work.containerProcesses()).toEqual(pids);
    agent = launchAgent();
    await agent.line('web Running', ({ pod, msg }) => pod === 'default/web' && msg === 'phase Running');
    await apply(shellPod('after', untilSignal));
    await ready('after');
    await succeeds('delete pod after');
    expect(work.containerProcesses()).toEqual(pids);
    expect(restarts('web')).toBe(before);
    expect(await succeeds('get node e2e')).toMatch(/\ne2e +Ready /);
  });

  it('pods continue to run while the API server is unavailable, and their statuses are written afterwards', async () => {
    const pids = work.containerProcesses();
    await apply(shellPod('ends', `while [ ! -e ${work.dir}/go ]; do sleep 0.1; done; echo run >> ${work.dir}/runs; exit 1`));
    await ready('ends');
    const from = agent.lines.length;
    await relay.cut();
    const { msg } = await agent.line('a word about it', ({ level, msg }) => level === 'warn' && msg.includes('API server'), { from });
    expect(msg).toContain('pods keep running');
    await succeeds('delete pod web --wait=false');
    await apply(shellPod('waiting', untilSignal));
    writeFileSync(join(work.dir, 'go'), '');
    await until('a restart without the API server', async () => work.read('runs').length > 'run\n'.length);
    expect(restarts('ends')).toBe(0);
    expect(work.containerProcesses()).toEqual(expect.arrayContaining(pids));
    await relay.restore();
    await succeeds('wait pod web --for=delete --timeout=90s');
    await ready('waiting');
    await until('the restarts', async () => (restarts('ends') ?? 0) > 0);
    await succeeds('delete pod waiting ends');
  });

  it('drain: removes all pods except static ones from the node', async () => {
    const drained = await succeeds('drain e2e --force --timeout=90s --ignore-daemonsets --delete-emptydir-data');
    expect(drained).toMatch(/node\/e2e cordoned[\s\S]*pod\/shop-\S+ evicted[\s\S]*node\/e2e drained/);
    expect(await succeeds('get nodes')).toMatch(/\ne2e +Ready,SchedulingDisabled /);
    expect(await succeeds('get pods --field-selector spec.nodeName=e2e -o name')).toBe('pod/static-e2e\n');
    await succeeds('delete deployment shop');
    await succeeds('uncordon e2e');
  });

  it('SIGTERM stops the agent normally and leaves its pods', async () => {
    const pids = work.containerProcesses();
    expect(await agent.end('SIGTERM')).toBe(0);
    expect(work.containerProcesses()).toEqual(pids);
    expect(pod('static-e2e')?.status?.phase).toBe('Running');
  });
}

if (binary === undefined) {
  it('kubectl is there', (context) => {
    if (required) throw new Error('kubectl is required, but neither this machine nor Debian has one that is new enough');
    console.log('skipped: a cluster end to end, because kubectl is not installed: NODEAGENT_E2E=required npm test unpacks it on Debian');
    context.skip();
  });
} else describe('a node of a cluster', () => clusterSuite(binary));
