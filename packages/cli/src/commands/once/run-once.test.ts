import type { Pod } from '@nodeagent/api';
import { createMemoryFiles, createMemoryPodDirs, createNodeAgent } from '@nodeagent/core/node';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createManualSource, createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { listenForInterrupts } from '../../interrupts.js';
import type { RejectedManifest } from '../../local-api/rejected-manifests.js';
import { createTestConsole } from '../../test-console.js';
import { createOnceSource } from './once-source.js';
import { type LogPiece, startedInstances } from './print-logs.js';
import { runOnce } from './run-once.js';

type Script = Parameters<ReturnType<typeof createMemoryRuntime>['script']>[1];

/** Runs the pods of a manifest once in virtual time; each instance of a container writes its name and number, and after its end to stderr. */
async function start(
  pods: Pod[],
  scripts: Record<string, Script> = {},
  { images = 'any' as const, rejected = [] as RejectedManifest[] } = {},
) {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images });
  for (const [container, script] of Object.entries(scripts)) memory.script({ name: container }, script);
  const manual = createManualSource(pods);
  const source = createOnceSource(manual);
  const agent = createNodeAgent({
    nodeName: 'n1',
    rootDir: '/root',
    sources: [source],
    cri: { runtime: memory.runtime, image: memory.image },
    clock,
    host: { files: createMemoryFiles(), podDirs: createMemoryPodDirs() },
  });
  const { console, stdout, stderr, end } = createTestConsole();
  const interrupts = listenForInterrupts(console, clock.monotonic);
  const encode = (text: string) => new TextEncoder().encode(text);
  const code = runOnce({
    agent,
    interrupts,
    source,
    rejected: () => rejected,
    console,
    async *readLog(_, { container, attempt }, ended): AsyncIterable<LogPiece> {
      yield { stream: 'stdout', data: encode(`${container} ${attempt}\n`) };
      await ended;
      yield { stream: 'stderr', data: encode(`${container} ${attempt} ended\n`) };
    },
  });
  return { clock, manual, memory, code: () => clock.run(code), end, stdout, stderr, pending: () => clock.pending };
}

function pod(spec: Partial<NonNullable<Pod['spec']>> = {}): Pod {
  const built = buildPod({ name: 'job', uid: 'u1' });
  return { ...built, spec: { containers: [{ name: 'main', image: 'i' }], ...spec } };
}

it('runs the pod once, copies its log, and exits with its code', async () => {
  const { code, stdout, stderr, memory, pending } = await start([pod()], { main: { exit: { afterMs: 5_000, code: 3 } } });
  expect(await code()).toBe(3);
  expect(stdout.text).toBe('main 0\n');
  expect(stderr.text).toBe('main 0 ended\n');
  expect((await memory.runtime.listContainers({})).containers ?? []).toEqual([]);
  expect(pending()).toBe(0);
});

it('prefixes the lines of several containers', async () => {
  const { code, stdout } = await start(
    [pod({ initContainers: [{ name: 'init', image: 'i' }], containers: [{ name: 'main', image: 'i' }] })],
    { init: { exit: { afterMs: 1_000, code: 0 } }, main: { exit: { afterMs: 1_000, code: 0 } } },
  );
  expect(await code()).toBe(0);
  expect(stdout.text).toBe('[init] init 0\n[main] main 0\n');
});

it('stops the pod gracefully at the first interrupt', async () => {
  const { clock, code, end, stderr, memory } = await start([pod()]);
  await clock.advance(10_000);
  end('SIGTERM');
  expect(await code()).toBe(143);
  expect(stderr.text).toBe('main 0 ended\n');
  expect((await memory.runtime.listContainers({})).containers ?? []).toEqual([]);
});

it('exits with 125 and the reason if the manifest has not exactly one pod', async () => {
  const two = await start([pod(), buildPod({ name: 'other', uid: 'u2' })]);
  expect(await two.code()).toBe(125);
  expect(two.stderr.text).toBe('error: --once runs one pod; the manifest has 2\n');
  const none = await start([], {}, { rejected: [{ file: '/m/pod.yaml', code: 'NotAPod', message: '/m/pod.yaml: no pod' }] });
  expect(await none.code()).toBe(125);
  expect(none.stderr.text).toBe('error: /m/pod.yaml: no pod\n');
});

it('ignores changes of the manifest', async () => {
  const { clock, manual, code } = await start([pod()], { main: { exit: { afterMs: 60_000, code: 0 } } });
  await clock.advance(10_000);
  manual.set([]);
  await clock.advance(10_000);
  expect(await code()).toBe(0);
});

it('reads the log of every instance, also of those that it saw no status of', () => {
  const container = { name: 'main', image: '', imageID: '', ready: false, containerID: 'c://1' };
  const instances = (more: object) =>
    startedInstances({ containerStatuses: [{ ...container, restartCount: 2, ...more }] }).map(({ attempt }) => attempt);
  expect(instances({ state: { running: {} } })).toEqual([0, 1, 2]);
  expect(instances({ state: { terminated: { exitCode: 1 } } })).toEqual([0, 1, 2]);
  expect(startedInstances({ containerStatuses: [{ ...container, restartCount: 0, state: { waiting: {} }, containerID: '' }] })).toEqual([]);
});
