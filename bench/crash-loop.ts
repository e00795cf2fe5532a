import { performance } from 'node:perf_hooks';
import { createMemoryFiles, createMemoryPodDirs, createNodeAgent } from '@nodeagent/core/node';
import { createMemoryRuntime } from '@nodeagent/memory-runtime';
import { buildPod, createManualSource, createVirtualClock } from '@nodeagent/testing';

/** A day of a pod whose container ends with an error a second after each start: what a test waits for that lets such a day pass. */
export async function benchCrashLoop(report: (line: string) => void): Promise<void> {
  for (const nth of ['first', 'second', 'third']) {
    const clock = createVirtualClock();
    const memory = createMemoryRuntime({ clock, images: 'any', recordCalls: 0 });
    memory.script('main', { exit: { afterMs: 1_000, code: 1 } });
    const files = createMemoryFiles();
    const agent = createNodeAgent({
      nodeName: 'bench',
      rootDir: '/bench',
      sources: [createManualSource([buildPod({ name: 'crash-loop' })])],
      cri: { runtime: memory.runtime, image: memory.image },
      clock,
      host: { files, podDirs: createMemoryPodDirs(files) },
      settings: { resolvConf: '' },
    });
    const [start, before] = [performance.now(), process.cpuUsage()];
    await agent.start();
    await clock.advance(86_400_000);
    const { user, system } = process.cpuUsage(before);
    report(`crash-loop a day, the ${nth} in the process, CPU: ${((user + system) / 1e6).toFixed(2)} s`);
    report(`crash-loop a day, the ${nth} in the process, time: ${((performance.now() - start) / 1000).toFixed(2)} s`);
    await agent.stop();
  }
}
