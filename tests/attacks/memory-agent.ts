import type { Pod } from '@nodeagent/api';
import { createMemoryFiles, createNodeAgent, type MemoryFiles, memoryHost, type RecordedEvent } from '@nodeagent/core/node';
import { createMemoryRuntime, type MemoryRuntime } from '@nodeagent/memory-runtime';
import { createManualSource, createVirtualClock, seededRandom, type VirtualClock } from '@nodeagent/testing';
import { onTestFinished } from 'vitest';

/** A whole agent on a machine and a runtime in memory, in virtual time. */
export interface MemoryAgent {
  clock: VirtualClock;
  memory: MemoryRuntime;
  /** The machine's files. */
  files: MemoryFiles;
  /** Replaces the pods of the agent's source. */
  setPods(pods: readonly Pod[]): void;
  /** Why the first container of the pod waits, and the message; undefined once it runs. */
  waiting(pod: string): string | undefined;
  /** `Warning Failed Error: ...`, of all pods. */
  events(): string[];
}

export async function startMemoryAgent(): Promise<MemoryAgent> {
  const clock = createVirtualClock();
  const memory = createMemoryRuntime({ clock, recordCalls: 10_000 });
  const source = createManualSource([]);
  const files = createMemoryFiles();
  const agent = createNodeAgent({
    nodeName: 'node',
    sources: [source],
    cri: { runtime: memory.runtime, image: memory.image },
    rootDir: '/var/lib/nodeagent',
    clock,
    random: seededRandom(1),
    settings: { resolvConf: '' },
    host: memoryHost({ files }),
  });
  const events: RecordedEvent[] = [];
  agent.on('event', (event) => events.push(event));
  await agent.start();
  onTestFinished(() => agent.stop());
  return {
    clock,
    memory,
    files,
    setPods: source.set,
    waiting(name) {
      const status = agent.pods().find(({ pod }) => pod.metadata?.name === name)?.status;
      const { reason, message } = status?.containerStatuses?.[0]?.state?.waiting ?? {};
      return reason && `${reason}: ${message}`;
    },
    events: () => events.map(({ type, reason, message }) => `${type} ${reason} ${message}`),
  };
}
