import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type AgentProcess, startCommand } from '../support/agent/agent-process.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { createKubectl, type Kubectl } from '../support/kubectl/kubectl.js';
import { provideKubectl } from '../support/kubectl/provide-kubectl.js';
import { removeFolder } from '../support/remove-folder.js';

const required = process.env.NODEAGENT_E2E === 'required';
const binary = provideKubectl(required);

/** A job that fails once its time is over, and a deployment. */
const manifest = `
apiVersion: v1
kind: Pod
metadata: { name: short }
spec:
  restartPolicy: Never
  containers:
    - { name: main, image: "short:1", env: [{ name: SIMULATE_EXIT_AFTER, value: "30" }, { name: SIMULATE_EXIT_CODE, value: "7" }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 4
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: "web:1" }] }
`;

/** kubectl with the built `nodeagent simulate-cluster`, ten times as fast as real time. */
function simulatedClusterSuite(binary: string): void {
  let work: string;
  let cluster: AgentProcess;
  let run: Kubectl['run'];
  let succeeds: Kubectl['succeeds'];
  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'nodeagent-simulated-'));
    cluster = startCommand(['simulate-cluster', '--nodes', '3', '--speed', '10', '--kubeconfig', join(work, 'config')]);
    await cluster.line('the cluster serves', ({ msg }) => msg.startsWith('simulated cluster of 3 nodes at https://'));
    ({ run, succeeds } = createKubectl(binary, work));
  });
  cleanUpAfterAll({
    'the cluster': async () => expect(await cluster?.end('SIGTERM')).toBe(0),
    'the folder': () => removeFolder(work),
  });

  it('runs what is applied on its nodes', async () => {
    expect(await succeeds('get nodes')).toMatch(/node-1 +Ready[\s\S]*node-2 +Ready[\s\S]*node-3 +Ready/);
    await succeeds('apply -f -', manifest);
    await succeeds('wait --for=condition=Available deployment/web --timeout=60s');
    expect(await succeeds('get pods -l app=web')).toMatch(/(web-\S+ +1\/1 +Running +0.*\n){4}/);
    await succeeds('wait --for=jsonpath={.status.phase}=Failed pod/short --timeout=60s');
    expect(await succeeds('get pod short -o jsonpath={.status.containerStatuses[0].state.terminated.exitCode}')).toBe('7');
  });

  it('answers logs, exec, top and describe', async () => {
    const pod = (await succeeds('get pods -l app=web -o name')).split('\n')[0] ?? '';
    expect(await succeeds(`logs ${pod}`)).toMatch(/^main of web-\S+ started with web:1\n$/);
    expect(await succeeds(`exec ${pod} -- echo hello`)).toBe('hello\n');
    expect((await run(`exec ${pod} -- false`)).code).toBe(1);
    expect(await succeeds('top pods')).toMatch(/web-\S+ +5m +16Mi/);
    expect(await succeeds('top nodes')).toMatch(/node-1 +\d+m/);
    expect(await succeeds(`describe ${pod}`)).toMatch(/Normal +Started/);
    expect(await succeeds('describe node node-1')).toContain('KubeletReady');
  });

  it('updates, drains and deletes', async () => {
    await succeeds('set image deployment/web main=web:2');
    await succeeds('rollout status deployment/web --timeout=60s');
    expect(await succeeds('drain node-1 --force --timeout=60s')).toContain('node/node-1 drained');
    await succeeds('wait --for=condition=Available deployment/web --timeout=60s');
    expect(await succeeds('get pods -l app=web -o wide')).not.toContain('node-1');
    await succeeds('uncordon node-1');
    await succeeds('delete deployment web --timeout=60s');
    await succeeds('wait --for=delete pod -l app=web --timeout=60s');
  });
}

if (binary === undefined) {
  it('kubectl is there', (context) => {
    if (required) throw new Error('kubectl is required, but neither this machine nor Debian has one that is new enough');
    console.log('skipped: the simulated cluster with kubectl, because kubectl is not installed');
    context.skip();
  });
} else describe('a simulated cluster', () => simulatedClusterSuite(binary));
