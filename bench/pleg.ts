import { performance } from 'node:perf_hooks';
import type { RuntimeContainer, RuntimePod } from '@nodeagent/api';
import { type ContainerEventLike, createEventedPleg, createGenericPleg, createPodCache, emptyPodStatus } from '@nodeagent/pleg';
import { createVirtualClock } from '@nodeagent/testing';

const containersPerPod = 5;
const rounds = 40;

/** What a relist and an event cost beyond the runtime's own time: listings are ready, statuses answer at once. */
export async function benchPleg(report: (line: string) => void): Promise<void> {
  for (const containers of [100, 1_000, 5_000]) {
    report(`pleg relist ${containers} containers unchanged: ${(await relistCost(containers, 0)).toFixed(3)} ms`);
    report(`pleg relist ${containers} containers 1% changed: ${(await relistCost(containers, 0.01)).toFixed(3)} ms`);
  }
  for (const pods of [1, 100, 1_000]) {
    const { milliseconds, looks } = await eventCost(pods);
    report(`pleg 1000 events of ${pods} pods, ${looks} looks: ${milliseconds.toFixed(3)} ms`);
  }
  const { listings, milliseconds } = await idleCost();
  report(`pleg idle hour of 1000 containers with events, ${listings} listings: ${milliseconds.toFixed(3)} ms`);
}

/** Median milliseconds of a relist in which this share of the containers changed its state. */
async function relistCost(containers: number, changedShare: number): Promise<number> {
  let round = 0;
  const changed = Math.round(containers * changedShare);
  let listing: RuntimePod[] = [];
  const pleg = createGenericPleg({
    runtime: {
      getPods: async () => listing,
      getPod: async () => undefined,
      getPodStatus: async ({ uid }) => emptyPodStatus(uid),
    },
    cache: createPodCache(),
    channelCapacity: 2 * containers,
  });
  const times: number[] = [];
  for (; round < rounds; round++) {
    listing = list(containers, changed, round);
    const start = performance.now();
    await pleg.relist();
    if (round >= rounds / 4) times.push(performance.now() - start);
    while (pleg.events.poll() !== undefined);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

/** A fresh listing, as a runtime gives one each time; the first `changed` containers stop and run in turn. */
function list(containers: number, changed: number, round: number): RuntimePod[] {
  const pods: RuntimePod[] = [];
  for (let first = 0; first < containers; first += containersPerPod) {
    const uid = `pod-${first}`;
    const members = Array.from({ length: containersPerPod }, (_, i) =>
      entry(`container-${first + i}`, first + i < changed && round % 2 === 1 ? 'exited' : 'running'),
    );
    pods.push({ uid, name: uid, namespace: 'bench', containers: members, sandboxes: [entry(`sandbox-${first}`, 'running')] });
  }
  return pods;
}

function entry(id: string, state: RuntimeContainer['state']): RuntimeContainer {
  return { id, name: id, state, createdAt: 0n, image: '', imageId: '', imageRef: '', hash: '', podSandboxId: '' };
}

/** A generator that follows events of these pods, each of five containers, and has come to rest. A look takes a turn of the event loop. */
async function followed(pods: number) {
  const clock = createVirtualClock();
  const waiting: ContainerEventLike[] = [];
  let wake = () => {};
  let generation = 0;
  let calls = 0;
  const podOf = (index: number): RuntimePod => {
    const uid = `pod-${index}`;
    const members = Array.from({ length: containersPerPod }, (_, i) => entry(`${uid}-${i === 0 ? `g${generation}` : i}`, 'running'));
    return { uid, name: uid, namespace: 'bench', containers: members, sandboxes: [entry(uid, 'running')] };
  };
  const pleg = createEventedPleg({
    runtime: {
      async getPods() {
        calls++;
        return Array.from({ length: pods }, (_, index) => podOf(index));
      },
      async getPod(uid) {
        calls++;
        await new Promise(setImmediate);
        return podOf(Number(uid.slice('pod-'.length)));
      },
      getPodStatus: async ({ uid }) => emptyPodStatus(uid),
    },
    async *containerEvents(signal) {
      signal.addEventListener('abort', () => wake(), { once: true });
      while (!signal.aborted) {
        for (const event of waiting.splice(0)) yield event;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    cache: createPodCache(),
    clock,
    channelCapacity: 10_000,
  });
  await pleg.start();
  await clock.advance(700_000);
  while (pleg.events.poll() !== undefined);
  calls = 0;
  return {
    clock,
    pleg,
    calls: () => calls,
    /** The first container of every pod is replaced, and events say so until there are `count`. */
    replace(count: number) {
      generation++;
      for (let i = 0; i < count; i++) {
        const uid = `pod-${i % pods}`;
        const told = { containerId: `${uid}-g${generation}`, containerEventType: 'CONTAINER_STARTED_EVENT', createdAt: 0n };
        waiting.push({ ...told, podSandboxStatus: { metadata: { uid } } });
      }
      wake();
    },
  };
}

/** Median milliseconds from 1,000 events at once to the last pod event, and the looks that they led to. */
async function eventCost(pods: number): Promise<{ milliseconds: number; looks: number }> {
  const { pleg, calls, replace } = await followed(pods);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    replace(1_000);
    // One container started; one was removed, which is two events.
    for (let left = 3 * pods; left > 0; ) {
      await new Promise(setImmediate);
      while (pleg.events.poll() !== undefined) left--;
    }
    if (round >= rounds / 4) times.push(performance.now() - start);
  }
  await pleg.stop();
  return { milliseconds: times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0, looks: Math.round(calls() / rounds) };
}

/** What an hour costs in which nothing happens. */
async function idleCost(): Promise<{ listings: number; milliseconds: number }> {
  const { clock, pleg, calls } = await followed(1_000 / containersPerPod);
  const start = performance.now();
  await clock.advance(3_600_000);
  const milliseconds = performance.now() - start;
  await pleg.stop();
  return { listings: calls(), milliseconds };
}
