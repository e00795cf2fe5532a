import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get as getHttp } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeAgentError, type Pod, silentLogger } from '@nodeagent/api';
import { nodeFiles } from '@nodeagent/runtime-manager';
import { createMetricsRegistry } from '@nodeagent/server';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { syncLoopCheck } from './agent-server.js';
import { capabilitiesOf } from './capabilities.js';
import { runtimeCapabilities } from './runtime-capabilities.js';
import { serverCheckpoint, serverLogs, serverPods, serverRun, serverStreaming } from './server-ports.js';
import { createTestAgent } from './test-agent.js';

const { signal } = new AbortController();

function get(port: number | undefined, path: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const request = getHttp({ host: '127.0.0.1', port, path, agent: false }, async (response: IncomingMessage) => {
      let body = '';
      for await (const piece of response) body += piece;
      resolve({ status: response.statusCode, body });
    });
    request.on('error', reject);
  });
}

describe("an agent's HTTP API", () => {
  it('listens from the start to the end, and tells what the agent has', async () => {
    const registry = createMetricsRegistry();
    const pod = buildPod({ name: 'web', uid: 'u1' });
    const { agent, clock, untilReady } = createTestAgent([pod], {
      server: { readOnly: { address: '127.0.0.1', port: 0 }, registry },
      metrics: registry,
    });
    expect(agent.serverPorts()).toBeUndefined();
    await agent.start();
    await untilReady('web');
    const port = agent.serverPorts()?.readOnly;
    expect(JSON.parse((await get(port, '/pods')).body).items).toMatchObject([{ metadata: { name: 'web' }, status: { phase: 'Running' } }]);
    expect(await get(port, '/healthz?verbose')).toEqual({ status: 200, body: '[+]ping ok\n[+]syncloop ok\nhealthz check passed\n' });
    expect((await get(port, '/metrics')).body).toMatch(/\nkubelet_started_pods_total 1\n/);
    expect((await get(port, '/stats/summary')).status).toBe(404);
    await agent.stop();
    await expect(get(port, '/pods')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(clock.pending).toBe(0);
  });

  it('keeps the agent from starting where another one listens', async () => {
    const first = createTestAgent([], { server: { readOnly: { address: '127.0.0.1', port: 0 } } });
    await first.agent.start();
    const port = first.agent.serverPorts()?.readOnly ?? 0;
    const second = createTestAgent([], { server: { readOnly: { address: '127.0.0.1', port } } });
    await expect(second.agent.start()).rejects.toMatchObject({ code: 'ListenFailed' });
    await second.agent.stop();
    await first.agent.stop();
  });

  it('is unhealthy when the sync loop takes nothing up any more', async () => {
    const clock = createVirtualClock();
    let last: number | undefined;
    const check = () => syncLoopCheck({ lastSyncLoopStep: () => last, syncFrequencyMs: 200_000, clock }).error;
    await clock.advance(1e6);
    expect(check()).toBeUndefined();
    last = clock.monotonic();
    await clock.advance(400_000);
    expect(check()).toBeUndefined();
    await clock.advance(1);
    expect(check()).toBe('sync Loop took longer than expected');
  });
});

describe('what the server gets from the agent', () => {
  const pod = buildPod({ name: 'web', uid: 'u1', containers: [{ name: 'app', image: 'a:1' }] });
  const container = (name: string, state: string) => ({ id: `id-${name}`, name, state });
  const runtime = {
    getPod: async () => ({ containers: [container('app', 'exited'), container('app', 'running'), container('init', 'exited')] }) as never,
    getPods: async () => [],
  };
  const streaming = {
    execUrl: async (id: string, command: readonly string[]) => new URL(`http://127.0.0.1/exec/${id}/${command.join('-')}`),
    attachUrl: async (id: string, { stderr, tty }: { stderr?: boolean; tty?: boolean }) =>
      new URL(`http://127.0.0.1/${id}/${stderr}/${tty}`),
    portForwardUrl: async ({ metadata }: Pod, ports: readonly number[]) => new URL(`http://127.0.0.1/${metadata?.name}/${ports}`),
  };
  const streams = { stdin: false, stdout: true, stderr: true, tty: false };

  it('are streams to running containers, as they were asked for', async () => {
    const { execUrl, attachUrl, portForwardUrl } = serverStreaming({ runtime, streaming });
    expect((await execUrl(pod, 'app', ['ls'], streams, signal)).pathname).toBe('/exec/id-app/ls');
    expect((await attachUrl(pod, 'app', streams, signal)).pathname).toBe('/id-app/true/false');
    expect((await portForwardUrl(pod, [80], signal)).pathname).toBe('/web/80');
    await expect(execUrl(pod, 'init', ['ls'], streams, signal)).rejects.toThrow('container not found ("init")');
    await expect(attachUrl(pod, 'init', streams, signal)).rejects.toThrow('container init not found in pod web_default');
    const without = capabilitiesOf('parts.runtime', runtime, runtimeCapabilities);
    await expect(serverStreaming({ runtime, streaming: without.streaming }).portForwardUrl(pod, [], signal)).rejects.toMatchObject({
      code: 'NotSupported',
    });
  });

  it("are a static pod's own status, and any other pod's as the API server has it", () => {
    const own = { phase: 'Running' } as const;
    const told = { phase: 'Pending' } as const;
    const api = { ...buildPod({ name: 'api', uid: 'u2' }), status: told };
    const fromFile = buildPod({ name: 'static', uid: 'u3' });
    fromFile.metadata = { ...fromFile.metadata, annotations: { 'kubernetes.io/config.source': 'file' } };
    const pods = serverPods({ pods: () => [api, fromFile], translatePodUid: (uid) => uid }, { getPodStatus: () => own });
    expect(pods.pods().map(({ status }) => status)).toEqual([told, own]);
    expect(pods.podStatus?.(api)).toBe(own);
  });

  it('are logs, output and checkpoints of containers, or why there are none', async () => {
    const rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-server-'));
    onTestFinished(() => rmSync(rootDir, { recursive: true }));
    mkdirSync(join(rootDir, 'logs'));
    const logPath = join(rootDir, 'logs', '0.log');
    writeFileSync(logPath, '2026-01-01T00:00:00.000000000Z stdout F hello\n2026-01-01T00:00:01.000000000Z stderr F world\n');
    const clock = createVirtualClock();
    const asked: unknown[] = [];
    const cri = {
      async containerStatus({ containerId }: { containerId?: string }) {
        if (containerId !== 'id-app') throw new NodeAgentError('CRI_NOT_FOUND', 'no such container');
        return { status: { logPath, state: 'CONTAINER_EXITED' } as never, info: {} };
      },
      async execSync({ cmd = [] }: { cmd?: string[] }) {
        return { stdout: Buffer.from('out'), stderr: Buffer.from('err'), exitCode: cmd[0] === 'false' ? 1 : 0 };
      },
      async checkpointContainer(request: unknown) {
        asked.push(request);
        return {};
      },
    };
    const ports = { runtime, streaming, cri, files: nodeFiles, rootDir, clock, logger: silentLogger };
    const read = async (id: string, follow = false) => {
      let text = '';
      for await (const piece of serverLogs(ports).read(id, { streams: 'All', follow, signal })) text += Buffer.from(piece).toString();
      return text;
    };
    expect(await read('memory://id-app')).toBe('hello\nworld\n');
    await expect(read('memory://gone')).rejects.toThrow('unable to retrieve container logs for memory://gone');
    expect(Buffer.from(await serverRun(ports)(pod, 'app', ['ls'], signal)).toString()).toBe('outerr');
    await expect(serverRun(ports)(pod, 'app', ['false', 'x'], signal)).rejects.toThrow("command 'false x' exited with 1: err");
    const location = join(rootDir, 'checkpoints', 'checkpoint-web_default-app-2026-01-01T00:00:00Z.tar');
    expect(await serverCheckpoint(ports)(pod, 'app', 3n, signal)).toBe(location);
    expect(asked).toEqual([{ containerId: 'id-app', location, timeout: 3n }]);
  });
});
