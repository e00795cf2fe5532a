import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createProbeManager, runProbe } from '@nodeagent/prober';
import { machineProbeNetwork } from '@nodeagent/prober/node';

const host = '127.0.0.1';
const targets = 10_000;
const periodSeconds = 10;
const periods = 3;

/** The cost of HTTP probes compared with plain requests, and ten thousand concurrent ones; servers are in a separate process. */
export async function benchProber(report: (line: string) => void): Promise<void> {
  const servers = fork(fileURLToPath(import.meta.url), ['servers'], { execArgv: process.execArgv });
  try {
    const [ports] = (await once(servers, 'message')) as [number[]];
    const [bare, probe] = await singleCosts(ports[0] ?? 0);
    report(`prober bare node:http request: ${bare.toFixed(3)} ms of CPU`);
    report(`prober HTTP probe: ${probe.toFixed(3)} ms of CPU`);
    report(`prober HTTP probe over a bare request: ${(probe / bare).toFixed(2)} times`);
    const { cpuShare, heapMiB, liveMiB, medianMs, p99Ms, made, failed } = await manyAsInAnAgent(ports);
    report(`prober ${targets} HTTP probes every ${periodSeconds} s, made: ${(made / periods / periodSeconds).toFixed(0)} a second`);
    report(`prober ${targets} HTTP probes every ${periodSeconds} s, failed: ${failed}`);
    report(`prober ${targets} HTTP probes every ${periodSeconds} s, CPU: ${(100 * cpuShare).toFixed(1)} % of a core`);
    report(`prober ${targets} HTTP probes every ${periodSeconds} s, highest heap: ${heapMiB.toFixed(1)} MiB`);
    report(`prober ${targets} HTTP probes every ${periodSeconds} s, heap after a collection: ${liveMiB.toFixed(1)} MiB`);
    report(`prober ${targets} HTTP probes every ${periodSeconds} s, median scheduling error: ${medianMs.toFixed(2)} ms`);
    report(`prober ${targets} HTTP probes every ${periodSeconds} s, 99th percentile of it: ${p99Ms.toFixed(2)} ms`);
  } finally {
    servers.kill();
  }
}

/** CPU milliseconds of a bare request and of a probe: the lowest of several rounds in turns. */
async function singleCosts(port: number): Promise<[bare: number, probe: number]> {
  const bare = () =>
    new Promise<void>((resolve, reject) => {
      request({ host, port, path: '/', agent: false, headers: { Connection: 'close' } }, (response) => {
        response.resume();
        response.on('end', resolve);
      })
        .on('error', reject)
        .end();
    });
  const probe = () => runProbe({ httpGet: { path: '/', port } }, { host }, { network: machineProbeNetwork });
  const lowest: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 8; round++) {
    for (const [index, action] of [bare, probe].entries()) {
      const before = process.cpuUsage();
      for (let i = 0; i < 500; i++) await action();
      const { user, system } = process.cpuUsage(before);
      lowest[index as 0 | 1] = Math.min(lowest[index as 0 | 1], (user + system) / 1000 / 500);
    }
  }
  return lowest;
}

/** In a process that keeps its heap as the nodeagent command does. */
async function manyAsInAnAgent(ports: readonly number[]): Promise<Measurements> {
  const heapFlags = ['--semi-space-growth-factor=1', '--heap-growing-percent=20'];
  const probing = fork(fileURLToPath(import.meta.url), ['probes', ...ports.map(String)], { execArgv: [...process.execArgv, ...heapFlags] });
  try {
    const [measurements] = (await once(probing, 'message')) as [Measurements];
    return measurements;
  } finally {
    probing.kill();
  }
}

type Measurements = Awaited<ReturnType<typeof many>>;

/** Probes all targets for some periods, with starts spread evenly over the first one. */
async function many(ports: readonly number[]) {
  const errors: number[] = [];
  const added: number[] = [];
  let failed = 0;
  let measuring = false;
  const probes = createProbeManager({
    async runProbe(spec, target, options) {
      if (measuring) {
        const late = (performance.now() - (added[Number(target.ports?.[0]?.name)] ?? 0)) % (periodSeconds * 1000);
        errors.push(Math.min(late, periodSeconds * 1000 - late));
      }
      const attempt = await runProbe(spec, target, { network: machineProbeNetwork, ...options });
      if (measuring && attempt.result !== 'success') failed++;
      return attempt;
    },
  });
  const start = performance.now();
  for (let i = 0; i < targets; i++) {
    // The next one's turn, however late the timers are.
    while (performance.now() - start < (i / targets) * periodSeconds * 1000) await new Promise((resolve) => setTimeout(resolve, 1));
    added[i] = performance.now();
    const port = ports[i % ports.length] ?? 0;
    probes.add(`${i}`, { httpGet: { path: '/', port }, periodSeconds }, { host, ports: [{ name: `${i}`, containerPort: port }] });
  }
  await new Promise((resolve) => setTimeout(resolve, periodSeconds * 500));
  measuring = true;
  const before = process.cpuUsage();
  const began = performance.now();
  let heap = 0;
  while (performance.now() - began < periods * periodSeconds * 1000) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    heap = Math.max(heap, process.memoryUsage().heapUsed);
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = (performance.now() - began) / 1000;
  const liveMiB = collectedHeap() / 2 ** 20;
  await probes.stop();
  errors.sort((a, b) => a - b);
  const at = (share: number) => errors[Math.floor(errors.length * share)] ?? 0;
  const cpuShare = (user + system) / 1e6 / seconds;
  return { cpuShare, heapMiB: heap / 2 ** 20, liveMiB, medianMs: at(0.5), p99Ms: at(0.99), made: errors.length, failed };
}

/** Bytes that are alive. */
function collectedHeap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** The other process: some servers that answer at once. */
async function serve(): Promise<void> {
  const ports: number[] = [];
  for (let i = 0; i < 20; i++) {
    const server = createServer((_, response) => response.end('ok')).listen(0, host);
    await once(server, 'listening');
    ports.push((server.address() as AddressInfo).port);
  }
  process.send?.(ports);
}

const [, , task, ...ports] = process.argv;
if (task === 'servers') await serve();
if (task === 'probes') process.send?.(await many(ports.map(Number)));
