import {
  type Clock,
  createChannel,
  type PodLifecycleEvent,
  type PodLifecycleEventGenerator,
  type PodLifecycleEventType,
  type Runtime,
  type RuntimePod,
  type Timer,
  type WritablePodCache,
} from '@nodeagent/api';

const eventOf: Record<string, PodLifecycleEventType> = { running: 'ContainerStarted', exited: 'ContainerDied', none: 'ContainerRemoved' };

/** Lists everything each second, and whenever it is asked to. */
export function createPleg(runtime: Runtime, cache: WritablePodCache, clock: Clock): PodLifecycleEventGenerator {
  const events = createChannel<PodLifecycleEvent>(100);
  let seen = new Map<string, { podUid: string; state: string }>();
  let timer: Timer | undefined;
  let passes: Promise<void> = Promise.resolve();
  let isRunning = false;

  const statesOf = (pods: readonly RuntimePod[]) =>
    new Map(pods.flatMap(({ uid, containers }) => containers.map(({ id, state }) => [id, { podUid: uid, state: `${state}` }] as const)));
  const pass = async () => {
    const revision = cache.revision();
    const pods = await runtime.getPods(true);
    for (const pod of pods) cache.set(pod.uid, await runtime.getPodStatus(pod), undefined, revision);
    const listed = new Set(pods.map(({ uid }) => uid));
    for (const [uid] of [...cache.entries()]) if (!listed.has(uid)) cache.delete(uid);
    cache.updateTime(revision);
    const states = statesOf(pods);
    for (const [containerId, { podUid }] of new Map([...seen, ...states])) {
      const state = states.get(containerId)?.state ?? 'none';
      const type = eventOf[state];
      if (type !== undefined && state !== seen.get(containerId)?.state) events.offer({ podUid, type, containerId });
    }
    seen = states;
  };
  const relist = () => {
    passes = passes.then(pass).catch(() => {});
    return passes;
  };
  const relistLater = (ms: number) => {
    timer?.cancel();
    if (!isRunning) return;
    timer = clock.setTimeout(() => {
      relistLater(1000);
      void relist();
    }, ms);
  };
  return {
    events,
    relist,
    unhealthyReason: () => undefined,
    requestRelist: () => relistLater(0),
    requestReinspect: () => {},
    async start() {
      isRunning = true;
      relistLater(0);
    },
    async stop() {
      isRunning = false;
      timer?.cancel();
      await passes;
    },
  };
}
