import type { KubeObject } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { createTestCluster } from './test-cluster.js';
import { podOf } from './test-pods.js';
import { logs } from './test-programs.js';

describe('the files of a program', () => {
  it('are its volumes, as the agent mounts and updates them', async () => {
    const cluster = await createTestCluster();
    cluster.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { mode: 'slow' } } as KubeObject);
    cluster.apply({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, data: { password: 'cHc=' } } as KubeObject);
    cluster.image('writer:1', async ({ files, sleep }) => {
      files.write('/data/greeting', 'hello');
      await sleep(1e9);
    });
    cluster.image('reader:1', async ({ files, sleep, stdout, argv, env, cwd }) => {
      const refusal = (run: () => void) => {
        try {
          run();
          return 'none';
        } catch (error) {
          return (error as { code: string }).code;
        }
      };
      stdout(`${argv.join(' ')} ${env.LEVEL} ${cwd}`);
      stdout(`${files.readText('/etc/login/password')} ${files.readText('/etc/pod/labels')}`);
      stdout(refusal(() => files.write('/etc/config/mode', 'x')));
      stdout(refusal(() => files.write('/shared/x', 'x')));
      for (;;) {
        stdout([files.exists('/shared/greeting'), files.readText('/etc/config/mode'), files.readText('/etc/mode')].join(' '));
        await sleep(30_000);
      }
    });
    const mount = (name: string, mountPath: string, more: object = {}) => ({ name, mountPath, ...more });
    cluster.apply({
      ...podOf('p', {}),
      metadata: { name: 'p', labels: { app: 'p' } },
      spec: {
        volumes: [
          { name: 'config', configMap: { name: 'settings' } },
          { name: 'login', secret: { secretName: 'login' } },
          { name: 'pod', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          { name: 'data', emptyDir: {} },
        ],
        containers: [
          { name: 'writer', image: 'writer:1', volumeMounts: [mount('data', '/data')] },
          {
            name: 'reader',
            image: 'reader:1',
            command: ['read', '$(LEVEL)'],
            args: ['all'],
            workingDir: '/srv',
            env: [{ name: 'LEVEL', value: '3' }],
            volumeMounts: [
              mount('config', '/etc/config'),
              mount('config', '/etc/mode', { subPath: 'mode' }),
              mount('login', '/etc/login'),
              mount('pod', '/etc/pod'),
              mount('data', '/shared', { readOnly: true }),
            ],
          },
        ],
      },
    } as KubeObject);
    await cluster.advance('20s');
    cluster.server.objects.update<KubeObject & { data: object }>('configmaps', 'settings', (settings) => {
      settings.data = { mode: 'fast' };
    });
    await cluster.advance('3m');
    const lines = logs(cluster, 'p');
    expect(lines.slice(0, 5)).toEqual(['read 3 all 3 /srv', 'pw app="p"', 'EROFS', 'EROFS', 'true slow slow']);
    expect(lines.at(-1)).toBe('true fast slow');
    await cluster.stop();
  });

  it('have the termination message, or the log has it', async () => {
    const cluster = await createTestCluster();
    cluster.image('job:1', ({ files, argv, stderr }) => {
      if (argv[0] === 'write') files.write('/dev/termination-log', 'out of stock');
      stderr('last line');
      return 3;
    });
    const spec = { restartPolicy: 'Never' as const };
    cluster.apply(podOf('file', { image: 'job:1', command: ['write'] }, spec));
    cluster.apply(podOf('log', { image: 'job:1', command: ['fail'], terminationMessagePolicy: 'FallbackToLogsOnError' }, spec));
    const ended = (name: string) => cluster.pod(name)?.status?.containerStatuses?.[0]?.state?.terminated;
    await cluster.until(() => ended('file') !== undefined && ended('log') !== undefined);
    expect([ended('file'), ended('log')]).toMatchObject([
      { exitCode: 3, reason: 'Error', message: 'out of stock' },
      { exitCode: 3, reason: 'Error', message: 'last line\n' },
    ]);
    await cluster.stop();
  });
});
