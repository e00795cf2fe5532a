import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod } from '@nodeagent/api';
import { createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKubectl, type Kubectl } from '../support/kubectl/kubectl.js';
import { provideKubectl } from '../support/kubectl/provide-kubectl.js';
import { until } from '../support/until.js';

const required = process.env.NODEAGENT_E2E === 'required';
const binary = provideKubectl(required);

const manifest = (image: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: main, image: "${image}", ports: [{ containerPort: 80 }] }]
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { color: blue }
`;

const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, kind: Widget, shortNames: [wd] }
  versions:
    - name: v1
      served: true
      storage: true
      additionalPrinterColumns: [{ name: Size, type: integer, jsonPath: .spec.size }]
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { size: { type: integer, minimum: 1 } } } }
`;

/** kubectl against the test API server over HTTPS, without an agent and other controllers. */
function kubectlSuite(binary: string): void {
  let server: TestApiServer;
  let work: string;
  let kubectl: Kubectl['run'];
  let succeeds: Kubectl['succeeds'];
  let start: Kubectl['start'];
  beforeAll(async () => {
    server = createTestApiServer({ network: machineNetwork, scheduler: true });
    await server.listen({ tls: true });
    work = mkdtempSync(join(tmpdir(), 'nodeagent-kubectl-'));
    writeFileSync(join(work, 'config'), server.kubeconfig({ user: { username: 'jane', groups: ['system:masters'] } }));
    ({ run: kubectl, succeeds, start } = createKubectl(binary, work));
  });
  afterAll(async () => {
    await server.close();
    rmSync(work, { recursive: true, force: true });
  });

  it('applies, and sees what changed', async () => {
    expect(await succeeds('apply -f -', manifest('nginx:1'))).toContain('deployment.apps/web created');
    expect(await succeeds('apply -f -', manifest('nginx:1'))).toContain('deployment.apps/web unchanged');
    expect(await succeeds('apply -f -', manifest('nginx:2'))).toContain('deployment.apps/web configured');
    const path = '{.spec.template.spec.containers[0].image}/{.metadata.generation}';
    expect(await succeeds(`get deployment web -o jsonpath=${path}`)).toBe('nginx:2/2');
    expect((await kubectl('apply --server-side -f -', manifest('nginx:3'))).out).toContain('Apply failed with');
    await succeeds('apply --server-side --force-conflicts -f -', manifest('nginx:3'));
    expect(await succeeds('scale deployment web --replicas=3')).toContain('scaled');
    expect(await succeeds('get deploy')).toMatch(/NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +0\/3/);
  });

  it('patches, labels, annotates and edits', async () => {
    await succeeds('patch configmap settings -p {"data":{"size":"1"}}');
    await succeeds('patch configmap settings --type=json -p [{"op":"remove","path":"/data/size"}]');
    await succeeds('label configmap settings team=a');
    await succeeds('annotate configmap settings note=b');
    await succeeds('edit configmap settings');
    const { metadata, data } = JSON.parse(await succeeds('get configmap settings -o json'));
    expect(metadata).toMatchObject({ labels: { team: 'a' }, annotations: { note: 'b' } });
    expect(data).toEqual({ color: 'green' });
  });

  it('makes objects itself', async () => {
    await succeeds('create namespace team');
    await succeeds('create configmap c -n team --from-literal=a=b');
    await succeeds('create secret generic s -n team --from-literal=a=b');
    await succeeds('create deployment d -n team --image=nginx --replicas=0 --port=80');
    await succeeds('create role r -n team --verb=get --resource=pods');
    await succeeds('create job j -n team --image=busybox -- true');
    expect(await succeeds('create token default -n team')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(await succeeds('auth can-i create pods')).toBe('yes\n');
    expect(await succeeds('auth whoami')).toMatch(/Username +jane/);
    expect(await succeeds('get all -n team -o name')).toBe('deployment.apps/d\njob.batch/j\n');
    expect(await succeeds('delete namespace team')).toContain('deleted');
    expect((await kubectl('get namespace team')).out).toContain('namespaces "team" not found');
  });

  it('runs, watches, describes and deletes a pod', async () => {
    let seen = '';
    const watch = start(['get', 'pods', '--watch']);
    watch.stdout.on('data', (data) => {
      seen += data;
    });
    await until('kubectl watches', async () => server.watches > 0);
    await succeeds('run web --image=nginx');
    await until('the pod is seen', async () => /web +0\/1 +Pending/.test(seen));
    watch.kill();
    expect(await succeeds('describe pod web')).toMatch(/FailedScheduling +\w+ +default-scheduler +no nodes available/);
    server.objects.update(
      'pods',
      'web',
      (pod: Pod) => {
        pod.status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      },
      { subresource: 'status' },
    );
    expect(await succeeds('wait pod web --for=condition=Ready --timeout=20s')).toContain('condition met');
    expect(await succeeds('delete pod web')).toContain('deleted');
    expect((await kubectl('run Bad --image=nginx')).code).toBe(1);
  });

  it('drains a node', async () => {
    const node = { status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' }, conditions: [{ type: 'Ready', status: 'True' }] } };
    await succeeds('create -f -', JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, ...node }));
    await succeeds('run moved --image=nginx');
    expect(await succeeds('get pod moved -o jsonpath={.spec.nodeName}')).toBe('n1');
    const drained = kubectl('drain n1 --force --timeout=60s');
    await until('the pod is evicted', async () => server.objects.get('pods', 'moved')?.metadata?.deletionTimestamp !== undefined);
    server.objects.delete('pods', 'moved', { gracePeriodSeconds: 0 });
    expect(await drained).toMatchObject({ code: 0, out: expect.stringContaining('node/n1 drained') });
    expect(await succeeds('get nodes')).toMatch(/n1 +Ready,SchedulingDisabled/);
    await succeeds('uncordon n1');
  });

  it('defines resources and uses them', async () => {
    await succeeds('apply -f -', definition);
    await succeeds('wait crd widgets.example.com --for=condition=Established --timeout=20s');
    const widget = (size: number) => `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":${size}}}`;
    await succeeds('apply -f -', widget(3));
    await succeeds('apply -f -', widget(4));
    expect(await succeeds('get wd')).toMatch(/NAME +SIZE\nw +4/);
    expect((await kubectl('apply -f -', widget(0))).out).toContain('should be greater than or equal to 1');
    await succeeds('delete crd widgets.example.com');
  });
}

if (binary === undefined) {
  it('kubectl is there', (context) => {
    if (required) throw new Error('kubectl is required, but neither this machine nor Debian has one that is new enough');
    console.log(
      'skipped: the end-to-end tests with kubectl, because it is not installed: NODEAGENT_E2E=required npm test unpacks it on Debian',
    );
    context.skip();
  });
} else describe('kubectl', () => kubectlSuite(binary));
