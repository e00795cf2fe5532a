import type { Pod } from '@nodeagent/api';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createCheckpointContainer, createRunInContainer } from './container-commands.js';
import { createNodePods, listRunningPods } from './node-pods.js';
import { createNodeStreaming } from './node-streaming.js';

const { signal } = new AbortController();
const pod = buildPod({ name: 'web', uid: 'u1', containers: [{ name: 'app', image: 'a:1' }] });
const container = (name: string, state: string) => ({ id: `id-${name}`, name, state });
const runtime = {
  getPod: async () => ({ containers: [container('app', 'exited'), container('app', 'running'), container('init', 'exited')] }) as never,
};
const streaming = {
  execUrl: async (id: string, command: readonly string[]) => new URL(`http://127.0.0.1/exec/${id}/${command.join('-')}`),
  attachUrl: async (id: string, { stderr, tty }: { stderr?: boolean; tty?: boolean }) => new URL(`http://127.0.0.1/${id}/${stderr}/${tty}`),
  portForwardUrl: async ({ metadata }: Pod, ports: readonly number[]) => new URL(`http://127.0.0.1/${metadata?.name}/${ports}`),
};
const streams = { stdin: false, stdout: true, stderr: true, tty: false };

it('requests streams of running containers with the requested options', async () => {
  const { execUrl, attachUrl, portForwardUrl } = createNodeStreaming(runtime, streaming);
  expect((await execUrl(pod, 'app', ['ls'], streams, signal)).pathname).toBe('/exec/id-app/ls');
  expect((await attachUrl(pod, 'app', streams, signal)).pathname).toBe('/id-app/true/false');
  expect((await portForwardUrl(pod, [80], signal)).pathname).toBe('/web/80');
  await expect(execUrl(pod, 'init', ['ls'], streams, signal)).rejects.toThrow('container not found ("init")');
  await expect(attachUrl(pod, 'init', streams, signal)).rejects.toThrow('container init not found in pod web_default');
});

it('serves a static pod with the status of the node, and any other pod as in the API server', () => {
  const own = { phase: 'Running' } as const;
  const reported = { phase: 'Pending' } as const;
  const api = { ...buildPod({ name: 'api', uid: 'u2' }), status: reported };
  const fromFile = buildPod({ name: 'static', uid: 'u3' });
  fromFile.metadata = { ...fromFile.metadata, annotations: { 'kubernetes.io/config.source': 'file' } };
  const pods = createNodePods({ pods: () => [api, fromFile], translatePodUid: (uid) => uid }, { getPodStatus: () => own });
  expect(pods.pods().map(({ status }) => status)).toEqual([reported, own]);
  expect(pods.podStatus?.(api)).toBe(own);
});

it('lists the running pods with names and images', async () => {
  const running = { uid: 'u1', name: 'web', namespace: 'default', containers: [{ ...container('app', 'running'), image: 'a:1' }] };
  expect(await listRunningPods({ getPods: async (all) => (all ? [] : [running as never]) }, signal)).toEqual([
    { uid: 'u1', name: 'web', namespace: 'default', containers: [{ name: 'app', image: 'a:1' }] },
  ]);
});

it('runs commands in running containers, and reports their failures', async () => {
  const cri = {
    async execSync({ cmd = [] }: { cmd?: string[] }) {
      return { stdout: Buffer.from('out'), stderr: Buffer.from('err'), exitCode: cmd[0] === 'false' ? 1 : 0 };
    },
  };
  const run = createRunInContainer({ runtime, cri });
  expect(Buffer.from(await run(pod, 'app', ['ls'], signal)).toString()).toBe('outerr');
  await expect(run(pod, 'app', ['false', 'x'], signal)).rejects.toMatchObject({
    message: "command 'false x' exited with 1: err",
    code: 'CommandFailed',
    details: { exitCode: 1 },
  });
});

it("writes checkpoints into the agent's folder", async () => {
  const requests: unknown[] = [];
  const directories: unknown[] = [];
  const checkpoint = createCheckpointContainer({
    runtime,
    cri: { checkpointContainer: async (request) => void requests.push(request) as never },
    files: { makeDirectory: async (...directory) => void directories.push(directory) },
    rootDir: '/root-dir',
    clock: createVirtualClock(),
  });
  const location = '/root-dir/checkpoints/checkpoint-web_default-app-2026-01-01T00:00:00Z.tar';
  expect(await checkpoint(pod, 'app', 3n, signal)).toBe(location);
  expect(requests).toEqual([{ containerId: 'id-app', location, timeout: 3n }]);
  expect(directories).toEqual([['/root-dir/checkpoints', 0o700]]);
});

it('writes no checkpoint while the space of the disk is unknown', async () => {
  let written = 0;
  const checkpoint = createCheckpointContainer({
    runtime,
    cri: { checkpointContainer: async () => void written++ as never },
    files: { makeDirectory: async () => {} },
    rootDir: '/root-dir',
    usage: async () => {
      throw new Error('EIO: i/o error, statfs');
    },
  });
  await expect(checkpoint(pod, 'app', 3n, signal)).rejects.toThrow('EIO');
  expect(written).toBe(0);
});
