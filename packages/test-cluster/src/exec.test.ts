import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Exec, KubeConfig, type V1Status } from '@kubernetes/client-node';
import { machineNetwork } from '@nodeagent/test-api-server/node';
import { expect, it } from 'vitest';
import { createTestCluster, type TestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';

/** Runs a command as `kubectl exec` does. */
async function exec({ server }: TestCluster, pod: string, command: string[]) {
  const config = new KubeConfig();
  config.loadFromString(server.kubeconfig());
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const texts = Promise.all([text(stdout), text(stderr)]);
  const status = await new Promise<V1Status>((resolve, reject) => {
    new Exec(config).exec('default', pod, 'main', command, stdout, stderr, null, false, resolve).catch(reject);
  });
  stdout.end();
  stderr.end();
  const [out, err] = await texts;
  return { status: status.status, out, err, exitCode: status.details?.causes?.[0]?.message };
}

it('runs a command in a simulated container, with its output and its exit code', async () => {
  const cluster = await createTestCluster({ server: { network: machineNetwork } });
  cluster.script('main', {
    exec: ([program = '']) => (program === 'fail' ? { exitCode: 3, stderr: 'no\n' } : { stdout: program.repeat(20_000) }),
  });
  cluster.apply(podOf('web'));
  await cluster.until(() => cluster.pod('web')?.status?.phase === 'Running');
  await cluster.server.listen();
  expect(await exec(cluster, 'web', ['yes'])).toEqual({ status: 'Success', out: 'yes'.repeat(20_000), err: '' });
  expect(await exec(cluster, 'web', ['fail'])).toEqual({ status: 'Failure', out: '', err: 'no\n', exitCode: '3' });
  cluster.node('node-1').partition();
  expect(await exec(cluster, 'web', ['yes'])).toMatchObject({ status: 'Failure' });
  await expect(exec(cluster, 'other', ['yes'])).rejects.toBeDefined();
  await cluster.stop();
});
