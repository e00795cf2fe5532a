import type { Container, Pod } from '@nodeagent/api';
import { createTestCluster, type TestCluster } from '@nodeagent/test-cluster';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setup } from './programs.js';

const agnhost = 'registry.k8s.io/e2e-test-images/agnhost:2.63.0';
const busybox = 'registry.k8s.io/e2e-test-images/busybox:1.37.0-1';

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await createTestCluster();
  setup(cluster);
});
afterAll(() => cluster.stop());

let pods = 0;
/** Runs a pod with a folder at /data until it has started or ended. */
async function run(container: Partial<Container>, restartPolicy = 'Never'): Promise<{ name: string; pod(): Pod | undefined }> {
  const name = `pod-${++pods}`;
  const main = { name: 'main', image: busybox, volumeMounts: [{ name: 'data', mountPath: '/data' }], ...container };
  const spec = { restartPolicy, containers: [main], volumes: [{ name: 'data', emptyDir: {} }], terminationGracePeriodSeconds: 1 };
  cluster.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec } as Pod);
  await cluster.until(() => !['Pending', undefined].includes(cluster.pod(name)?.status?.phase));
  await cluster.advance('3s');
  return { name, pod: () => cluster.pod(name) };
}

const exitCode = (pod: Pod | undefined) => pod?.status?.containerStatuses?.[0]?.state?.terminated?.exitCode;
const logs = (name: string) => {
  const { runtime } = cluster.node('node-1');
  return runtime.containers().flatMap(({ pod, id }) => (pod === name ? runtime.logs(id) : []));
};
const ask = async (path: string) => (await cluster.clock.run(cluster.server.handle({ url: `/api/v1/namespaces/default/${path}` }))).body;

it.each([
  ['exit 3', 3],
  ['sh && echo exit 2 | sh', 2],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the script.
  ['if [ $(expr ${JOB_COMPLETION_INDEX} % 2) -ne 0 ]; then\n exit 1\nelse\n exit 0\nfi', 1],
  ['false || exit 4; exit 5', 4],
  ['true && test -d /data && ! cat /data/none 2> /dev/null', 0],
  ['echo a b > /data/x; x=1', 127],
  ['echo "a b" | cat > /data/x && [ "$(cat /data/x)" = "a b" ]', 0],
  ['exit $(( $JOB_COMPLETION_INDEX + 6 ))', 7],
])('runs the script %j', async (script, code) => {
  const { pod } = await run({ command: ['/bin/sh', '-c'], args: [script], env: [{ name: 'JOB_COMPLETION_INDEX', value: '1' }] });
  expect(exitCode(pod())).toBe(code);
});

it('fails once, and passes after its restart', async () => {
  const script = 'if [[ -r /data/foo ]]\nthen\n exit 0\nelse\n touch /data/foo\n exit 1\nfi';
  const { name, pod } = await run({ command: ['/bin/sh', '-c', script] }, 'OnFailure');
  await cluster.until(() => pod()?.status?.phase === 'Succeeded');
  expect(cluster.pod(name)?.status?.containerStatuses?.[0]?.restartCount).toBe(1);
});

it('serves files, which a probe sees and a command moves', async () => {
  const readinessProbe = { httpGet: { path: '/localhost.crt', port: 80 }, periodSeconds: 1, failureThreshold: 1 };
  const { name, pod } = await run({ image: agnhost, args: ['test-webserver'], readinessProbe });
  const ready = () => pod()?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  await cluster.until(() => ready() === 'True');
  const { runtime } = cluster.node('node-1');
  const containerId = runtime.containers().find((each) => each.pod === name)?.id ?? '';
  for (const [command, state] of [
    ['mv -v /localhost.crt /tmp/ || true', 'False'],
    ['mv -v /tmp/localhost.crt / || true', 'True'],
    ['mv -v /tmp/localhost.crt / || true', 'True'],
  ] as const) {
    const cmd = ['/bin/sh', '-x', '-c', command];
    expect((await cluster.clock.run(runtime.runtime.execSync({ containerId, cmd }))).exitCode).toBe(0);
    await cluster.advance('3s');
    expect(ready()).toBe(state);
  }
});

it('serves its name, and pages', async () => {
  const { name } = await run({ image: agnhost, args: ['serve-hostname'], ports: [{ containerPort: 9376 }] });
  expect(await ask(`pods/${name}/proxy/`)).toBe(name);
  const { name: nautilus } = await run({ image: 'registry.k8s.io/e2e-test-images/nautilus:1.8', ports: [{ containerPort: 80 }] });
  expect(await ask(`pods/${nautilus}/proxy/data.json`)).toBe('{"image":"nautilus.jpg"}');
});

it('generates log lines, reads mounts, and pauses', async () => {
  const command = ['/bin/sh', '-c', '/agnhost logs-generator --log-lines-total 4 --run-duration 2s && /agnhost pause'];
  const generator = await run({ image: agnhost, command });
  expect(logs(generator.name)).toEqual([
    expect.stringMatching(/^0 GET/),
    expect.anything(),
    expect.anything(),
    expect.anything(),
    'Paused',
  ]);
  const { name } = await run({ image: agnhost, args: ['mounttest', '--file_content=/etc/hosts'] });
  expect(logs(name)[0]).toMatch(/^content of file "\/etc\/hosts": /);
});

it('keeps a guestbook', async () => {
  const labels = (role: string) => ({ app: 'book', role });
  for (const [role, args] of [
    ['primary', []],
    ['replica', ['--replicaof', 'agnhost-primary']],
  ] as const) {
    const container = { name: 'main', image: agnhost, args: ['guestbook', ...args, '--http-port', '6379'] };
    cluster.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: role, labels: labels(role) },
      spec: { containers: [container] },
    } as Pod);
    const spec = { selector: labels(role), ports: [{ port: 6379 }] };
    cluster.apply({ apiVersion: 'v1', kind: 'Service', metadata: { name: `agnhost-${role}` }, spec });
  }
  await cluster.advance('10s');
  const { name } = await run({ image: agnhost, args: ['guestbook'], ports: [{ containerPort: 80 }] });
  const book = (query: string) => ask(`pods/${name}/proxy/guestbook?${query}`);
  expect(await book('cmd=get&key=messages')).toBe('{"data":""}');
  expect(await book('cmd=set&key=messages&value=Test')).toBe('{"message":"Updated"}');
  expect(await book('cmd=get&key=messages')).toBe('{"data":"Test"}');
});
