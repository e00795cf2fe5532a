import { performance } from 'node:perf_hooks';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { createVirtualClock } from '@nodeagent/testing';

/** What simulations cost: timers of the virtual clock, containers and listings of the in-memory runtime. */
export async function benchMemoryRuntime(report: (line: string) => void): Promise<void> {
  report(`virtual-clock fire one timer: ${(await timerCost(100_000)).toFixed(2)} us`);
  for (const pods of [100, 1_000]) {
    const { start, list } = await podCost(pods);
    report(`memory-runtime start a pod, ${pods} pods: ${start.toFixed(1)} us`);
    report(`memory-runtime list ${pods} containers: ${list.toFixed(1)} us`);
  }
}

async function timerCost(count: number): Promise<number> {
  const clock = createVirtualClock();
  for (let i = 0; i < count; i++) clock.setTimeout(() => {}, i);
  const before = performance.now();
  await clock.advance(count);
  return ((performance.now() - before) * 1_000) / count;
}

async function podCost(pods: number): Promise<{ start: number; list: number }> {
  const { runtime } = createMemoryRuntime({ clock: createVirtualClock(), images: 'any', recordCalls: 0 });
  const before = performance.now();
  for (let i = 0; i < pods; i++) {
    const { podSandboxId } = await runtime.runPodSandbox({
      config: { metadata: { name: `p${i}`, namespace: 'bench', uid: `u${i}`, attempt: 0 } },
    });
    const config = { metadata: { name: 'main', attempt: 0 }, image: { image: 'busybox:1' } };
    const { containerId } = await runtime.createContainer({ podSandboxId, config });
    await runtime.startContainer({ containerId });
  }
  const started = performance.now();
  const rounds = 200;
  for (let i = 0; i < rounds; i++) await runtime.listContainers({});
  return { start: ((started - before) * 1_000) / pods, list: ((performance.now() - started) * 1_000) / rounds };
}
