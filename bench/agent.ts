import { createMemoryFiles, createMemoryPodDirs, createNodeAgent, type NodeAgent } from '@nodeagent/core/node';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createManualSource, createVirtualClock, type VirtualClock } from '@nodeagent/testing';

const pods = 500;

interface Node {
  agent: NodeAgent;
  clock: VirtualClock;
}

/** A whole agent of 500 pods of two containers each on the in-memory runtime, in virtual time: what the agent itself costs. */
export async function benchAgent(report: (line: string) => void): Promise<void> {
  const { agent, clock } = create();
  const start = await cost(async () => {
    await agent.start();
    await clock.until(() => agent.pods().every(({ status }) => status.phase === 'Running'));
  });
  report(`agent start ${pods} pods: ${(pods / start.cpu).toFixed(0)} pods per CPU second`);
  report(`agent start ${pods} pods, CPU: ${start.cpu.toFixed(2)} s`);

  await clock.advance(300_000);
  const idle = await cost(() => clock.advance(3_600_000));
  report(`agent idle with ${pods} pods for an hour, CPU: ${idle.cpu.toFixed(2)} s (${((idle.cpu / 3_600) * 100).toFixed(3)} % of a core)`);
  await agent.stop();

  const { cpu, syncs } = await syncCost();
  report(`agent syncs of unchanged pods: ${(syncs / cpu).toFixed(0)} per CPU second`);
}

/** Pods that sync every 100 ms without a change. */
async function syncCost(): Promise<{ cpu: number; syncs: number }> {
  let syncs = 0;
  const quiet = () => {};
  const logger = {
    debug: (_fields: unknown, message?: string) => void (message === 'synced pod' && syncs++),
    info: quiet,
    warn: quiet,
    error: quiet,
  };
  const { agent, clock } = create({ settings: { syncFrequencyMs: 100 }, logger: { ...logger, child: () => logger as never } });
  await agent.start();
  await clock.until(() => agent.pods().every(({ status }) => status.phase === 'Running'));
  await clock.advance(5_000);
  syncs = 0;
  const { cpu } = await cost(() => clock.advance(20_000));
  await agent.stop();
  return { cpu, syncs };
}

function create(options: Partial<Parameters<typeof createNodeAgent>[0]> = {}): Node {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, images: 'any', recordCalls: 0 });
  const files = createMemoryFiles();
  const all = Array.from({ length: pods }, (_, i) => buildPod({ name: `pod-${i}`, containers: ['a:1', 'b:1'] }));
  const agent = createNodeAgent({
    nodeName: 'bench',
    rootDir: '/bench',
    sources: [createManualSource(all)],
    node: { maxPods: pods },
    cri: { runtime: memory.runtime, image: memory.image },
    clock,
    host: { files, podDirs: createMemoryPodDirs(files) },
    ...options,
    settings: { resolvConf: '', ...options.settings },
  });
  return { agent, clock };
}

/** Seconds of CPU: the clock is virtual, so nothing is waited for. */
async function cost(work: () => Promise<void>): Promise<{ cpu: number }> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1e6 };
}
