import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { createTestCluster, keepPace, type TestCluster } from '@nodeagent/test-cluster';
import { beforeAll, describe, expect, it } from 'vitest';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { createKubectl, type Kubectl } from '../support/kubectl/kubectl.js';
import { provideKubectl } from '../support/kubectl/provide-kubectl.js';
import { removeFolder } from '../support/remove-folder.js';

const required = process.env.NODEAGENT_E2E === 'required';
const binary = provideKubectl(required);

const deployment = (image: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: "${image}" }] }
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
      subresources: { status: {}, scale: { specReplicasPath: .spec.size, statusReplicasPath: .status.size } }
      additionalPrinterColumns:
        - { name: Size, type: integer, jsonPath: .spec.size }
        - { name: Color, type: string, jsonPath: .spec.color, priority: 1 }
      schema:
        openAPIV3Schema:
          type: object
          description: A widget of a test.
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: { type: integer, description: Number of parts. }
                color: { type: string, enum: [red, blue], default: red }
            status: { type: object, x-kubernetes-preserve-unknown-fields: true }
`;

const widget = (size: number, more = '') => `
apiVersion: example.com/v1
kind: Widget
metadata: { name: w }
spec: { size: ${size}${more} }
`;

const configMap = (name: string, owner = '') => `
apiVersion: v1
kind: ConfigMap
metadata: { name: ${name}, labels: { set: maps }${owner} }
`;

/** kubectl with a simulated cluster that authorizes by roles, ten times as fast as real time. */
function commandsSuite(binary: string): void {
  let work: string;
  let cluster: TestCluster;
  let run: Kubectl['run'];
  let succeeds: Kubectl['succeeds'];
  let pace: Promise<void>;
  const end = new AbortController();
  /** A command that fails: what it printed. */
  const fails = async (args: string | readonly string[], stdin?: string) => {
    const { code, out } = await run(args, stdin);
    expect(code, out).toBe(1);
    return out;
  };
  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'nodeagent-commands-'));
    const server = { network: machineNetwork, authorizer: 'rbac', automountServiceAccountTokens: true } as const;
    cluster = await createTestCluster({ nodes: 2, start: Date.now(), server });
    cluster.script({}, { usage: { nanoCores: 5e6, memoryBytes: 2 ** 24 } });
    await cluster.server.listen({ tls: true });
    writeFileSync(join(work, 'config'), cluster.server.kubeconfig({ user: { username: 'jane', groups: ['system:masters'] } }));
    pace = keepPace(cluster.clock, { speed: 10, signal: end.signal });
    ({ run, succeeds } = createKubectl(binary, work));
    await succeeds('apply --validate=strict -f -', definition);
    await succeeds('wait crd widgets.example.com --for=condition=Established --timeout=20s');
  });
  cleanUpAfterAll({
    async 'the cluster'() {
      end.abort();
      await pace;
      await cluster.stop();
    },
    'the folder': () => removeFolder(work),
  });

  it.each([
    [
      'a deployment',
      'deployment.apps/web',
      deployment('web:1'),
      deployment('web:2'),
      '-      - image: web:1\n+      - image: web:2',
      '.spec.template',
    ],
    ['a custom object', 'widget.example.com/w', widget(2), widget(3), '-  size: 2\n+  size: 3', '.spec.size'],
  ])('applies %s on either side, and shows what would change', async (_, name, first, second, difference, field) => {
    expect(await succeeds('apply --validate=strict -f -', first)).toBe(`${name} created\n`);
    expect(await succeeds('apply -f -', first)).toBe(`${name} unchanged\n`);
    expect(await fails('diff -f -', second)).toContain(difference);
    expect(await succeeds('apply --dry-run=server -f -', second)).toBe(`${name} configured (server dry run)\n`);
    expect(await fails('apply --server-side -f -', second)).toContain(
      `Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using ${first.match(/apiVersion: (.*)/)?.[1]}: ${field}`,
    );
    expect(await succeeds('apply --server-side --force-conflicts -f -', second)).toBe(`${name} serverside-applied\n`);
    expect(await succeeds('diff -f -', second)).toBe('');
    expect(await succeeds(`get ${name}`)).toMatch(/^NAME +(READY|SIZE)/);
  });

  it('refuses unknown fields, and prunes', async () => {
    expect(await fails('create -f -', widget(1, ', sise: 1'))).toContain('strict decoding error: unknown field "spec.sise"');
    const list = '--prune-allowlist=core/v1/ConfigMap';
    await succeeds(`apply --prune -l set=maps ${list} -f -`, `${configMap('a')}---${configMap('b')}`);
    expect(await succeeds(`apply --prune -l set=maps ${list} -f -`, configMap('a'))).toContain('configmap/b pruned');
  });

  it('explains', async () => {
    expect(await succeeds('explain deployment.spec.strategy')).toMatch(/FIELD: strategy <DeploymentStrategy>[\s\S]*rollingUpdate\t/);
    expect(await succeeds('explain pods --recursive')).toMatch(/ containers\t<\[\]Container>/);
    const explained = await succeeds('explain wd.spec');
    expect(explained).toMatch(/color\t<string>\n *enum: red, blue[\s\S]*size\t<integer> -required-\n *Number of parts\./);
  });

  it('waits and scales', async () => {
    await succeeds('wait deployment web --for=condition=Available --timeout=60s');
    await succeeds('scale deployment web --replicas=3');
    await succeeds('wait deployment web --for=jsonpath={.status.readyReplicas}=3 --timeout=60s');
    expect(await succeeds('get deployment web --subresource=scale')).toMatch(/NAME +DESIRED +AVAILABLE +AGE\nweb +3 +3/);
    expect(await fails('scale wd w --replicas=5 --current-replicas=9')).toContain('Expected replicas to be 9, was 3');
    await succeeds('scale wd w --replicas=5');
    expect(await succeeds('get wd w -o wide')).toMatch(/NAME +SIZE +COLOR\nw +5 +red/);
    expect(await fails('wait wd w --for=condition=Ready --timeout=1s')).toContain('timed out waiting for the condition on widgets/w');
    await succeeds([
      'patch',
      'wd',
      'w',
      '--subresource=status',
      '--type=merge',
      '-p',
      '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}',
    ]);
    await succeeds('wait wd w --for=condition=Ready --timeout=20s');
  });

  it('reports what a user may do', async () => {
    const robot = '--as=system:serviceaccount:default:default';
    await succeeds('create role reader --verb=get,list --resource=pods,widgets.example.com');
    await succeeds('create rolebinding reader --role=reader --serviceaccount=default:default');
    expect(await succeeds(`auth can-i list pods ${robot}`)).toBe('yes\n');
    expect(await fails(`auth can-i delete pods ${robot}`)).toBe('no\n');
    expect(await succeeds(`auth can-i --list ${robot}`)).toMatch(/widgets\.example\.com +\[\] +\[\] +\[get list\]/);
    expect(await fails(`get nodes ${robot}`)).toContain(
      'nodes is forbidden: User "system:serviceaccount:default:default" cannot list resource "nodes" in API group "" at the cluster scope',
    );
    expect(await succeeds('auth whoami --as=bob --as-group=dev --as-uid=7')).toMatch(/bob[\s\S]*7[\s\S]*\[dev system:authenticated\]/);
  });

  it('shows usage, debugs and lists events', async () => {
    await succeeds('run one --image=one:1');
    await succeeds('wait pod one --for=condition=Ready --timeout=60s');
    expect(await succeeds('top pods one --containers')).toMatch(/one +one +5m +16Mi/);
    expect(await succeeds('top nodes')).toMatch(/node-1 +\d+m +\d+%/);
    await succeeds('debug one --image=tools:1 --target=one --container=tools -- sleep 60');
    await succeeds('wait pod one --for=jsonpath={.status.ephemeralContainerStatuses[0].state.running} --timeout=60s');
    await succeeds('debug one --copy-to=copy --image=tools:1 -- sleep 60');
    expect(await succeeds('get pod copy -o jsonpath={.spec.containers[*].image}')).toBe('one:1 tools:1');
    expect(await succeeds('events --for pod/one --types=Normal')).toMatch(/Scheduled +Pod\/one +Successfully assigned default\/one/);
  });

  it('deletes with dependents, in the foreground or not at all', async () => {
    await succeeds('delete deployment web --cascade=orphan');
    expect(await succeeds('get rs -o name')).toMatch(/^replicaset.apps\/web-/);
    await succeeds('delete rs -l app=web --cascade=foreground --timeout=60s');
    expect(await succeeds('get pods -l app=web')).toContain('No resources found');
    const uid = await succeeds('get wd w -o jsonpath={.metadata.uid}');
    const owner = `, ownerReferences: [{ apiVersion: example.com/v1, kind: Widget, name: w, uid: ${uid}, blockOwnerDeletion: true }]`;
    await succeeds('create -f -', configMap('part', owner));
    await succeeds('delete wd w --cascade=foreground --timeout=60s');
    expect(await fails('get configmap part')).toContain('configmaps "part" not found');
  });
}

if (binary === undefined) {
  it('kubectl is there', (context) => {
    if (required) throw new Error('kubectl is required, but neither this machine nor Debian has one that is new enough');
    console.log('skipped: the commands of kubectl, because kubectl is not installed');
    context.skip();
  });
} else describe('the commands of kubectl', () => commandsSuite(binary));
