import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConfigMap, CSINode } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import { expect, it, onTestFinished } from 'vitest';
import { testMachine } from './test-agent.js';
import { conditionOf, createTestMember, joined, untilReady, userPod } from './test-member.js';

const mounted = (volumes: object[]) => ({
  volumes: volumes as never,
  container: { volumeMounts: volumes.map((volume) => ({ name: (volume as { name: string }).name, mountPath: '/v' })) },
});

it('a simulated node has the volumes of a cluster: tokens, config maps, claims, and waits for missing objects', async () => {
  const member = await joined({ serverOptions: { automountServiceAccountTokens: true } });
  const { server, clock, memory } = member;
  server.objects.create(userPod('web', mounted([{ name: 'settings', configMap: { name: 'settings' } }])));
  // Past the scheduler, which would wait for the claim.
  const claimed = mounted([{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]);
  server.objects.create(userPod('db', { ...claimed, nodeName: 'node' }));
  await clock.advance(20_000);
  expect([isPodReady(member.pod('web') ?? {}), memory.containers()]).toEqual([false, []]);
  expect(member.eventLines('web')).toContain(
    'Warning FailedMount MountVolume.SetUp failed for volume "settings" : configmap "settings" not found',
  );
  expect(member.eventLines('db').join()).toContain('error processing PVC default/data: failed to fetch PVC from API server: ');

  server.objects.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace: 'default' },
    data: { mode: 'fast' },
  } as ConfigMap);
  await untilReady(member, 'web', 180_000);
  expect(member.calls(/^post serviceaccounts\/token$/)).toBeGreaterThan(0);
  expect(member.calls(/csi/)).toBe(0);
  expect(await member.end()).toBe(0);
});

it('a node creates its CSINode before it is ready, and updates files with their objects', async () => {
  const root = mkdtempSync(join(tmpdir(), 'member-volumes-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const agent = { rootDir: root, podLogsDir: join(root, 'logs'), host: testMachine };
  // Without service account tokens: their volumes are in tmpfs, which only root can mount.
  const member = await createTestMember({ agent });
  const { server, clock } = member;
  const eventually = (isDone: () => unknown) => expect.poll(() => clock.advance(1_000).then(isDone), { interval: 10 }).toBe(true);
  await member.agent.start();
  await eventually(() => conditionOf(member.node(), 'Ready') === 'True');
  const csiNode = server.objects.get<CSINode>('csinodes.storage.k8s.io', 'node');
  expect(csiNode?.metadata?.ownerReferences?.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['Node node']);

  server.objects.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { mode: 'fast' } } as ConfigMap);
  server.objects.create(userPod('web', mounted([{ name: 'settings', configMap: { name: 'settings' } }])));
  await eventually(() => isPodReady(member.pod('web') ?? {}));
  const volumes = join(root, 'pods', member.pod('web')?.metadata?.uid ?? '', 'volumes');
  const mode = () => readFileSync(join(volumes, 'kubernetes.io~configmap/settings/mode'), 'utf8');
  expect(mode()).toBe('fast');
  server.objects.update<ConfigMap>('configmaps', 'settings', (object) => void Object.assign(object, { data: { mode: 'slow' } }));
  await eventually(() => mode() === 'slow');
  await member.end();
});
