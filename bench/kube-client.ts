import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createKubeClient, type Transport } from '@nodeagent/kube-client';

const root = fileURLToPath(new URL('..', import.meta.url));
const listed = 10_000;
const events = 100_000;
const pieceBytes = 65_536;

/** A pod as the API server has it, about 1.9 KB of JSON; Go writes the times that are not set as null. */
const pod = (index: number, version: number) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `pod-${index}`,
    namespace: 'default',
    uid: `uid-${index}`,
    resourceVersion: String(version),
    labels: { app: 'bench', 'pod-template-hash': '5d4f8c7b9' },
    managedFields: [{ manager: 'kubelet', operation: 'Update', fieldsV1: { 'f:status': { 'f:conditions': { 'f:type': {} } } } }],
  },
  spec: {
    nodeName: 'node-1',
    containers: Array.from({ length: 3 }, (_, container) => ({
      name: `c${container}`,
      image: 'registry.example/app:1',
      env: Array.from({ length: 5 }, (_, each) => ({ name: `NAME_${each}`, value: `value-${each}` })),
      resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
    })),
  },
  status: {
    phase: 'Running',
    conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
      type,
      status: 'True',
      lastProbeTime: null,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })),
    containerStatuses: Array.from({ length: 3 }, (_, container) => ({
      name: `c${container}`,
      ready: true,
      restartCount: 0,
      image: 'app:1',
    })),
  },
});

/** What the API client costs: memory of its import, decoding of lists, events that an informer takes in. */
export async function benchKubeClient(report: (line: string) => void): Promise<void> {
  const [bare, imported] = [rssAfter(''), rssAfter("import '@nodeagent/kube-client';")];
  report(`import of @nodeagent/kube-client, RSS over bare Node: ${(imported - bare).toFixed(1)} MiB`);

  const list = Buffer.from(
    JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: pods(listed, 1) }),
  );
  const rounds = Array.from({ length: 10 }, (_, round) =>
    Buffer.from(
      pods(1000, round + 2)
        .map(modified)
        .join(''),
    ),
  );
  const client = createKubeClient({ cluster: { server: 'http://bench' }, transport: playback(list, rounds) });

  const times: number[] = [];
  for (let run = 0; run < 5; run++) {
    const startedAt = cpuMs();
    await client.pods.list();
    times.push(cpuMs() - startedAt);
  }
  report(`list ${listed} pods (${(list.length / 2 ** 20).toFixed(0)} MiB): ${Math.min(...times).toFixed(0)} ms of CPU`);

  const informer = client.pods.informer();
  let count = 0;
  let startedAt = 0;
  await new Promise<void>((resolve) => {
    informer.onChange((change) => {
      if (change?.old === undefined) return;
      if (count++ === 0) startedAt = cpuMs();
      if (count === events) resolve();
    });
    void informer.start();
  });
  const size = (rounds[0]?.length ?? 0) / 1000;
  report(`informer, events of ${size.toFixed(0)} bytes: ${(events / ((cpuMs() - startedAt) / 1000)).toFixed(0)} a CPU second`);
  await informer.stop();
}

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Answers from memory: the list, and a watch of which the rounds come again and again in pieces of 64 KiB. */
function playback(list: Uint8Array, rounds: readonly Uint8Array[]): Transport {
  async function* answer(isWatch: boolean): AsyncIterable<Uint8Array> {
    if (!isWatch) yield list;
    for (let round = 0; isWatch && round < events / 1000; round++) {
      const bytes = rounds[round % rounds.length] ?? list;
      for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
    }
  }
  return {
    send: async ({ path }) => ({ status: 200, headers: {}, body: answer(path.includes('watch=true')) }),
    closeConnections() {},
  };
}

const pods = (count: number, version: number) => Array.from({ length: count }, (_, index) => pod(index, version));

const modified = (object: object) => `${JSON.stringify({ type: 'MODIFIED', object })}\n`;

/** Of a process that runs this code on the built package, in MiB: the middle of five. */
function rssAfter(code: string): number {
  const program = `${code.replace('@nodeagent/kube-client', join(root, 'packages/kube-client/dist/index.js'))}
    const { readFileSync } = await import('node:fs');
    console.log(/VmRSS:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);`;
  const run = () => Number(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })) / 1024;
  return [run(), run(), run(), run(), run()].sort((a, b) => a - b)[2] ?? 0;
}
