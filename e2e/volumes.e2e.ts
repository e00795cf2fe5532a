import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pod, PodSource } from '@nodeagent/api';
import { createNodeAgent, type NodeAgent } from '@nodeagent/core';
import { createCriClient } from '@nodeagent/cri-client';
import { buildPod } from '@nodeagent/testing';
import { createNodeMounter, createPodVolumes, type PodVolumes } from '@nodeagent/volume-manager';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PrivateContainerd, startContainerd, testImage } from './containerd.js';
import { provideContainerd } from './provide-containerd.js';
import { until } from './until.js';

const required = process.env.NODEAGENT_E2E === 'required';
const isRoot = process.getuid?.() === 0;
const { found } = isRoot ? provideContainerd(false) : { found: [] };
const binaries = found.find(({ series }) => series === '2') ?? found[0];

if (binaries === undefined) {
  const why = isRoot ? 'no containerd is installed: NODEAGENT_E2E=required npm test installs it on Debian' : 'that needs root';
  it("a pod's volumes on containerd", (context) => {
    if (required) throw new Error(`containerd is required, but ${why}`);
    console.log(`skipped: a pod's volumes on containerd, because ${why}`);
    context.skip();
  });
} else {
  describe(`a pod's volumes on containerd ${binaries.series}`, () => {
    let containerd: PrivateContainerd;
    let work: string;
    let cri: ReturnType<typeof createCriClient>;
    let agent: NodeAgent;
    let source: PodSource;
    let volumes: PodVolumes;
    const wanted = new Map<string, Pod>();
    const events: string[] = [];
    const mounter = createNodeMounter();
    const settings = { data: { mode: 'fast', 'app.conf': 'a=1' } };
    const login = { data: { password: Buffer.from('s3cret').toString('base64') } };

    const run = (pod: Pod) => {
      wanted.set(pod.metadata?.name ?? '', pod);
      source.onPods?.([...wanted.values()]);
    };
    const outputOf = (pod: string, container: string) => {
      const folder = readdirSync(join(work, 'logs')).find((name) => name.startsWith(`default_${pod}_`));
      if (folder === undefined) return '';
      const file = join(work, 'logs', folder, container, '0.log');
      return readFileSync(file, 'utf8')
        .split('\n')
        .map((line) => line.split(' ').slice(3).join(' '))
        .join('\n');
    };

    beforeAll(async () => {
      containerd = await startContainerd(binaries);
      work = mkdtempSync(join(tmpdir(), 'nodeagent-volumes-'));
      mkdirSync(join(work, 'host'));
      // Only a shared mount can pass on what is mounted later.
      await mounter.mount({ source: 'tmpfs', target: join(work, 'host'), fsType: 'tmpfs' });
      await mounter.run('mount', ['--make-rshared', join(work, 'host')]);
      cri = createCriClient({ endpoint: containerd.endpoint });
      volumes = createPodVolumes({
        rootDir: join(work, 'root'),
        sources: {
          getConfigMap: async (_, name) => (name === 'settings' ? settings : undefined),
          getSecret: async (_, name) => (name === 'login' ? login : undefined),
          nodeAllocatable: () => ({ memory: '1Gi', cpu: '2' }),
        },
      });
      source = { name: 'api', onPods: undefined, stop: async () => {}, start: async () => source.onPods?.([...wanted.values()]) };
      agent = createNodeAgent({
        nodeName: 'volumes',
        sources: [source],
        cri,
        rootDir: join(work, 'root'),
        podLogsDir: join(work, 'logs'),
        volumeManager: volumes,
        runtimeOptions: { prepareSubPath: (request) => volumes.subPaths.prepare(request) },
      });
      agent.on('event', ({ reason, message }) => void events.push(`${reason} ${message}`));
      await agent.start();
    });

    afterAll(async () => {
      wanted.clear();
      source?.onPods?.([]);
      await until('all pods to be gone', async () => agent.pods().length === 0).catch(() => {});
      await agent?.stop();
      cri?.close();
      await containerd?.cleanup();
      for (const path of [join(work, 'host/later'), join(work, 'host')]) await mounter.unmount(path);
      if (work) rmSync(work, { recursive: true, force: true });
    });

    it('are there in the container as their kinds say', async () => {
      const script = [
        'cat /config/mode; echo; cat /login/password; echo; cat /self/labels; echo; cat /all/name; echo',
        'stat -c "%a %g" /work; stat -f -c "%T" /fast; df -k /fast | tail -1 | awk \'{print "size", $2}\'',
        'cat /one; echo; echo from the pod > /host/file',
        'touch /readonly/x 2>/dev/null && echo written || echo refused',
        'echo inside > /part/file; echo end',
        'while :; do cat /config/mode; echo; test -d /host/later && df /host/later | tail -1 | grep -q /host/later && echo propagated; sleep 0.2; done',
      ].join('; ');
      const pod = buildPod({
        name: 'kinds',
        uid: 'kinds-uid',
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'c',
            image: testImage,
            imagePullPolicy: 'IfNotPresent',
            command: ['sh', '-c', script],
            volumeMounts: [
              { name: 'config', mountPath: '/config' },
              { name: 'login', mountPath: '/login' },
              { name: 'self', mountPath: '/self' },
              { name: 'all', mountPath: '/all' },
              { name: 'work', mountPath: '/work' },
              { name: 'work', mountPath: '/part', subPath: 'deep/part' },
              { name: 'fast', mountPath: '/fast' },
              { name: 'host', mountPath: '/host', mountPropagation: 'HostToContainer' },
              { name: 'host', mountPath: '/readonly', readOnly: true },
              { name: 'config', mountPath: '/one', subPath: 'app.conf' },
            ],
          },
        ],
      });
      pod.metadata = { ...pod.metadata, labels: { app: 'kinds' } };
      pod.spec = {
        ...pod.spec,
        containers: pod.spec?.containers ?? [],
        securityContext: { fsGroup: 2345 },
        volumes: [
          { name: 'config', configMap: { name: 'settings' } },
          { name: 'login', secret: { secretName: 'login' } },
          { name: 'self', downwardAPI: { items: [{ path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          {
            name: 'all',
            projected: { sources: [{ downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } }] },
          },
          { name: 'work', emptyDir: {} },
          { name: 'fast', emptyDir: { medium: 'Memory', sizeLimit: '8Mi' } },
          { name: 'host', hostPath: { path: join(work, 'host'), type: 'Directory' } },
        ],
      };
      run(pod);
      await until('the container to look at its volumes', async () => outputOf('kinds', 'c').includes('\nend\n')).catch((error) => {
        throw new Error(`${error.message}: ${events.join('; ')}`);
      });
      const [before = ''] = outputOf('kinds', 'c').split('\nend\n');
      expect(before.split('\n')).toEqual(['fast', 's3cret', 'app="kinds"', 'kinds', '2777 2345', 'tmpfs', 'size 8192', 'a=1', 'refused']);
      expect(readFileSync(join(work, 'host/file'), 'utf8')).toBe('from the pod\n');
      expect(readFileSync(join(volumes.getMountedVolumesForPod('kinds-uid').get('work')?.hostPath ?? '', 'deep/part/file'), 'utf8')).toBe(
        'inside\n',
      );

      mkdirSync(join(work, 'host/later'));
      await mounter.mount({ source: 'tmpfs', target: join(work, 'host/later'), fsType: 'tmpfs' });
      await until('the mount to reach the container', async () => outputOf('kinds', 'c').includes('propagated'));

      settings.data.mode = 'slow';
      await volumes.mount(pod);
      await until('the container to see the new config map', async () => outputOf('kinds', 'c').includes('slow'));
    });

    it('are gone with the pod, and nothing stays mounted', async () => {
      wanted.clear();
      source.onPods?.([]);
      const ours = async () => (await mounter.list()).filter(({ mountPoint }) => mountPoint.startsWith(join(work, 'root')));
      await until('the volumes to be unmounted', async () => !volumes.hasPossiblyMountedVolumesForPod('kinds-uid'));
      expect(await ours()).toEqual([]);
      expect(readFileSync(join(work, 'host/file'), 'utf8')).toBe('from the pod\n');
    });
  });
}
