import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ApiResponse, createTestApiServer, type TestApiServer } from '@nodeagent/test-api-server';
import { build } from 'esbuild';

const count = 10_000;
const [watchers, changes] = [100, 200];
const pods = '/api/v1/namespaces/default/pods';

/** A pod of usual size. */
const podText = (name: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'web', tier: 'front' }, annotations: { 'example.com/owner': 'team-a' } },
    spec: {
      nodeName: 'node-1',
      containers: [
        {
          name: 'main',
          image: 'registry.example.com/web:1.2.3',
          env: [{ name: 'MODE', value: 'production' }],
          ports: [{ containerPort: 8080 }],
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
        },
      ],
    },
  });

async function timed<T>(work: () => T | Promise<T>): Promise<{ ms: number; value: T }> {
  const begin = performance.now();
  const value = await work();
  return { ms: performance.now() - begin, value };
}

const heapUsed = () => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

const whole = (ms: number) => `${Math.round(ms)} ms`;

/** The command, bundled with what it loads later in files beside it, from its start until it serves. */
async function benchReady(report: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-api-server-'));
  try {
    const outdir = join(folder, 'dist');
    const entryPoint = fileURLToPath(new URL('../packages/test-api-server/src/bin.ts', import.meta.url));
    const banner = { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" };
    await build({
      ...{ entryPoints: [entryPoint], outdir, banner, bundle: true, splitting: true, minify: true },
      ...{ platform: 'node', format: 'esm', outExtension: { '.js': '.mjs' } },
    });
    writeFileSync(join(folder, 'package.json'), '{"version":"0.0.0"}');
    const runs: { ms: number; rssMB: number }[] = [];
    for (let run = 0; run < 5; run++) {
      const begin = performance.now();
      const child = spawn(process.execPath, [join(outdir, 'bin.mjs'), '--http', '--kubeconfig', join(folder, 'k')], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(child.stdout, 'data');
      const ms = performance.now() - begin;
      const [, kB = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      runs.push({ ms, rssMB: Number(kB) / 1024 });
      child.kill();
      await once(child, 'exit');
    }
    const best = runs.sort((a, b) => a.ms - b.ms)[2];
    report(`process ready, from its start: ${whole(best?.ms ?? 0)}, ${Math.round(best?.rssMB ?? 0)} MB`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function read({ body }: ApiResponse, lines: number): Promise<void> {
  let seen = 0;
  for await (const piece of body as AsyncIterable<string>) {
    for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', at + 1)) seen++;
    if (seen >= lines) return;
  }
}

async function benchWatches(server: TestApiServer, report: (line: string) => void): Promise<void> {
  const url = `${pods}?watch=1&resourceVersion=${server.revision}`;
  const open = await Promise.all(Array.from({ length: watchers }, () => server.handle({ url })));
  const headers = { 'content-type': 'application/merge-patch+json' };
  const { ms } = await timed(async () => {
    const readers = open.map((response) => read(response, changes));
    for (let n = 0; n < changes; n++) {
      const body = `{"metadata":{"labels":{"round":"${n}"}}}`;
      await server.handle({ method: 'PATCH', url: `${pods}/p${n}`, body, headers });
    }
    await Promise.all(readers);
  });
  report(`${changes} changes to ${watchers} watches (${changes * watchers} events): ${whole(ms)}`);
}

/** An API server with 10,000 pods, by requests without sockets. Memory per object is exact with `node --expose-gc` only. */
export async function benchApiServer(report: (line: string) => void): Promise<void> {
  await benchReady(report);
  const { ms: made, value: server } = await timed(() => createTestApiServer());
  report(`createTestApiServer, first in a process: ${made.toFixed(1)} ms`);
  const before = heapUsed();
  const texts = Array.from({ length: count }, (_, n) => podText(`p${n}`));
  const headers = { 'content-type': 'application/json' };
  const created = await timed(async () => {
    for (const body of texts) await server.handle({ method: 'POST', url: pods, body, headers });
  });
  report(`${count} pods created: ${whole(created.ms)}`);
  texts.length = 0;
  const bytes = (heapUsed() - before) / count;
  let json = 0;
  for (let run = 0; run < 3; run++) {
    const { ms, value } = await timed(() => server.handle({ url: pods }));
    json = (value.body as string).length / count;
    if (run === 2) report(`${count} pods listed as JSON: ${whole(ms)}`);
  }
  for (let run = 0; run < 3; run++) {
    const accept = 'application/vnd.kubernetes.protobuf';
    const { ms, value } = await timed(() => server.handle({ url: pods, headers: { accept } }));
    if (run === 2) report(`${count} pods listed as protobuf: ${value.status === 200 ? whole(ms) : `status ${value.status}`}`);
  }
  report(`memory of a pod: ${Math.round(bytes)} bytes, ${(bytes / json).toFixed(1)} times its JSON of ${Math.round(json)} bytes`);
  await benchWatches(server, report);
  const { ms: large } = await timed(() => server.reset());
  report(`reset() of ${count} pods: ${large.toFixed(1)} ms`);
  for (let n = 0; n < 100; n++) await server.handle({ method: 'POST', url: pods, body: podText(`p${n}`), headers });
  const { ms: small } = await timed(() => server.reset());
  report(`reset() of 100 pods: ${small.toFixed(1)} ms`);
  await server.close();
}
