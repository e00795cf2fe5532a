import type { Pod, PodStatus } from '@nodeagent/api';
import type { RecordedEvent } from '@nodeagent/event-recorder';
import { createMemoryRuntime, type MemoryRuntime } from '@nodeagent/memory-runtime';
import { createMemoryFiles, type MemoryFiles } from '@nodeagent/runtime-manager';
import {
  createManualSource,
  createRecordingLogger,
  createVirtualClock,
  type ManualSource,
  type RecordingLogger,
  seededRandom,
  type VirtualClock,
} from '@nodeagent/testing';
import { expect } from 'vitest';
import { smallMachine } from './host/memory-host.js';
import { createMemoryPodDirs } from './host/memory-pod-dirs.js';
import type { PodDirs } from './host/pod-dirs.js';
import { createNodeAgent, type NodeAgentOptions } from './machine/create-node-agent.js';
import type { NodeAgent } from './options/node-agent.js';

/** The machine of test agents. */
export const testMachine = { machine: smallMachine };

/** For this package's tests: an agent on an in-memory runtime, in virtual time, with its recorded events and logs. */
export interface TestAgent {
  agent: NodeAgent;
  clock: VirtualClock;
  memory: MemoryRuntime;
  source: ManualSource;
  files: MemoryFiles;
  podDirs: PodDirs;
  logger: RecordingLogger;
  events: RecordedEvent[];
  /** `Normal Started Container started`, of one pod or of all. */
  eventLines(pod?: string): string[];
  /** Names of pods that were removed. */
  removed: string[];
  /** The errors of each `runtime` event. */
  runtimeErrors: string[][];
  status(pod: string): PodStatus | undefined;
  phase(pod: string): string | undefined;
  isReady(pod: string): boolean;
  /** Waits in virtual time. */
  untilReady(pod: string, limitMs?: number): Promise<void>;
  /** A second, unstarted agent on the same runtime, files and clock, as after a restart of the first. */
  again(pods?: readonly Pod[]): TestAgent;
}

export type TestAgentOptions = Partial<NodeAgentOptions> &
  Partial<Pick<TestAgent, 'clock' | 'memory' | 'files' | 'podDirs'>> & { sourceName?: string; images?: 'any' | string[] };

export function createTestAgent(pods: readonly Pod[] = [], options: TestAgentOptions = {}): TestAgent {
  const {
    clock = createVirtualClock(),
    files = createMemoryFiles(),
    podDirs = createMemoryPodDirs(files),
    sourceName,
    images = 'any',
    ...rest
  } = options;
  const memory =
    options.memory ??
    createMemoryRuntime({
      clock,
      images,
      recordCalls: 100_000,
      files: { append: (path, text) => void files.writeFile(path, text, 0o644) },
    });
  const source = createManualSource(pods, sourceName ? { name: sourceName } : {});
  const logger = createRecordingLogger();
  const { memory: _, ...agentOptions } = rest;
  const agent = createNodeAgent({
    nodeName: 'node',
    sources: [source],
    cri: { runtime: memory.runtime, image: memory.image },
    rootDir: '/var/lib/nodeagent',
    clock,
    random: seededRandom(1),
    logger,
    settings: { resolvConf: '' },
    host: { files, podDirs, ...testMachine },
    hostIps: ['192.0.2.1'],
    ...agentOptions,
  });
  const events: RecordedEvent[] = [];
  const removed: string[] = [];
  const runtimeErrors: string[][] = [];
  agent.on('event', (event) => events.push(event));
  agent.on('removed', (pod) => removed.push(pod.metadata?.name ?? ''));
  agent.on('runtime', (errors) => runtimeErrors.push(errors));
  const status = (name: string) => agent.pods().find(({ pod }) => pod.metadata?.name === name)?.status;
  const isReady = (name: string) => status(name)?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false;
  return {
    agent,
    clock,
    memory,
    source,
    files,
    podDirs,
    logger,
    events,
    eventLines: (name) =>
      events
        .filter(({ object }) => name === undefined || object.name === name)
        .map(({ type, reason, message }) => `${type} ${reason} ${message}`),
    removed,
    runtimeErrors,
    status,
    phase: (name) => status(name)?.phase,
    isReady,
    untilReady: (name, limitMs) => clock.until(() => isReady(name), limitMs),
    again: (next = pods) => createTestAgent(next, { ...options, clock, memory, files, podDirs }),
  };
}

/**
 * Stops an agent that has mounts on this machine. A container that another test creates shares them for a while: the agent waits for that, ten times 100 ms,
 * which takes as long in virtual and in real time here.
 */
export async function stopOnMachine({ agent, clock }: Pick<TestAgent, 'agent' | 'clock'>): Promise<void> {
  let isStopped = false;
  const stopped = agent.stop().then(() => {
    isStopped = true;
  });
  await expect.poll(() => clock.advance(100).then(() => isStopped), { interval: 100 }).toBe(true);
  await stopped;
}
