import type { Pod, PodStatus, ProbeResult, TimelineEntry } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import type {
  NodePageAgent,
  PageAssignment,
  PageDevices,
  PageDynamicResources,
  PageEvent,
  PageEviction,
  PagePod,
  PagePodExplanation,
} from './options.js';

/** An agent for this package's tests with settable answers. */
export class TestPageAgent implements NodePageAgent {
  views: PagePod[] = [];
  explanations = new Map<string, PagePodExplanation>();
  errors: string[] = [];
  cluster: string | undefined;
  inPull: { image: string; podUid: string; state: 'waiting' | 'pulling'; since: number }[] = [];
  results = new Map<string, ProbeResult>();
  assignments: PageAssignment[] = [];
  podEvents: PageEvent[] = [];
  deviceManager: PageDevices | undefined;
  draManager: PageDynamicResources | undefined;
  stats: NodePageAgent['stats'];
  imageGc: NonNullable<NodePageAgent['imageGc']> = { plan: async () => ({ images: [], freedBytes: 0 }) };
  pressure: PageEviction | undefined;
  readonly listeners = {
    timeline: new Set<(entry: TimelineEntry) => void>(),
    status: new Set<(pod?: Pod) => void>(),
    removed: new Set<(pod?: Pod) => void>(),
  };

  readonly probeResults = {
    liveness: (id: string) => this.results.get(`liveness ${id}`),
    readiness: (id: string) => this.results.get(`readiness ${id}`),
    startup: (id: string) => this.results.get(`startup ${id}`),
  };
  pods = () => this.views;
  explain = (uid: string) => this.explanations.get(uid);
  podAssignments = () => ({ containers: this.assignments });
  events = () => this.podEvents;
  devicePlugins = () => this.deviceManager;
  dynamicResources = () => this.draManager;
  runtimeErrors = () => this.errors;
  clusterError = () => this.cluster;
  pulls = () => this.inPull;
  get eviction() {
    const { pressure } = this;
    return pressure && { explain: () => pressure };
  }
  on(event: keyof TestPageAgent['listeners'], listener: (entry: TimelineEntry) => void): void {
    this.listeners[event].add(listener as () => void);
  }
  off(event: keyof TestPageAgent['listeners'], listener: (entry: TimelineEntry) => void): void {
    this.listeners[event].delete(listener as () => void);
  }

  happened(entry: Partial<TimelineEntry> = {}): void {
    for (const listener of this.listeners.timeline) listener({ time: 1, kind: 'event', text: 'something', ...entry });
  }
  changed(pod?: Pod): void {
    for (const listener of this.listeners.status) listener(pod);
  }
}

/** A pod with one running container `main`, unless the status overrides it. */
export function runningPod(
  name: string,
  status: PodStatus = {},
  more: Partial<Parameters<typeof buildPod>[0]> = {},
): PagePod & { pod: Pod } {
  return {
    pod: buildPod({ name, uid: name, ...more }),
    state: 'SyncPod',
    status: {
      phase: 'Running',
      containerStatuses: [containerStatus({ state: { running: { startedAt: '2026-01-01T00:00:00Z' } } })],
      ...status,
    },
  };
}

export function containerStatus(more: Partial<NonNullable<PodStatus['containerStatuses']>[number]> = {}) {
  return {
    name: 'main',
    ready: true,
    started: true,
    restartCount: 0,
    image: 'busybox:1',
    imageID: 'i',
    containerID: 'memory://c1',
    ...more,
  };
}
