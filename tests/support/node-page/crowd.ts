import type { TimelineEntry } from '@nodeagent/api';
import { createNodePage, type NodePageAgent, type PagePod } from '@nodeagent/node-page';
import { buildPod, createVirtualClock } from '@nodeagent/testing';
import { serve } from './serve.js';

/** The page of a full node with a full timeline, whose pods change on request. */
export interface Crowd {
  origin: string;
  /** A container of each of these pods terminates and restarts. */
  crash(pods: readonly number[]): Promise<void>;
  close(): void;
}

const viewOf = (index: number, restartCount: number): PagePod => ({
  pod: buildPod({ name: `worker-${index}`, namespace: 'crowd', uid: `uid-${index}` }),
  state: 'SyncPod',
  status: {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'main',
        image: 'busybox:1',
        imageID: 'i',
        ready: true,
        restartCount,
        state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
      },
    ],
  },
});

/** 250 pods and 5,000 entries. */
export async function openCrowd(): Promise<Crowd> {
  const clock = createVirtualClock();
  const views = Array.from({ length: 250 }, (_, index) => viewOf(index, 0));
  const listeners = new Set<(entry: TimelineEntry) => void>();
  const agent: NodePageAgent = {
    pods: () => views,
    explain: () => undefined,
    runtimeErrors: () => [],
    clusterError: () => undefined,
    pulls: () => [],
    probeResults: { liveness: () => undefined, readiness: () => undefined, startup: () => undefined },
    eviction: undefined,
    on: (event: string, listener: (entry: TimelineEntry) => void) => void (event === 'timeline' && listeners.add(listener)),
    off: (_event: string, listener: (entry: TimelineEntry) => void) => void listeners.delete(listener),
  };
  const page = createNodePage({ agent, nodeName: 'full', clock, settings: { timelineLength: 5_000 } });
  const server = await serve(page.handle);
  const happened = (index: number, text: string, more: Partial<TimelineEntry> = {}) => {
    const pod = { uid: `uid-${index}`, namespace: 'crowd', name: `worker-${index}` };
    for (const listener of listeners) listener({ time: clock.now(), kind: 'lifecycle', pod, text, ...more });
  };
  for (let number = 0; number < 5_000; number += 1) happened(number % 250, `container main started (${number})`);
  return {
    origin: server.origin,
    async crash(pods) {
      for (const index of pods) {
        const restarts = (views[index]?.status.containerStatuses?.[0]?.restartCount ?? 0) + 1;
        views[index] = viewOf(index, restarts);
        happened(index, 'container main exited with 3', { warning: true, fields: { event: 'ContainerDied' } });
        happened(index, `container main started (restart ${restarts})`);
      }
      await clock.advance(100);
    },
    close() {
      page.stop();
      server.close();
    },
  };
}
