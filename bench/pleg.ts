import { performance } from 'node:perf_hooks';
import type { RuntimeContainer, RuntimePod } from '@nodeagent/api';
import { type ContainerEventLike, createEventedPleg, createGenericPleg, createPodCache, emptyPodStatus } from '@nodeagent/pleg';
import { createVirtualClock } from '@nodeagent/testing';

const containersPerPod = 5;
const rounds = 40;

/** The cost of a relist and of an event without the runtime's time: the runtime responds immediately. */
export async function benchPleg(report: (line: string) => void): Promise<void> {
  for (const containers of [100, 1_000, 5_000]) {
    report(`pleg relist ${containers} containers unchanged: ${(await relistCost(containers, 0)).toFixed(3)} ms`);
    report(`pleg relist ${containers} containers 1% changed: ${(await relistCost(containers, 0.01)).toFixed(3)} ms`);
  }
  for (const pods of [1, 100, 1_000]) {
    const { milliseconds, inspections } = await eventCost(pods);
    report(`pleg 1000 events of ${pods} pods, ${inspections} inspections: ${milliseconds.toFixed(3)} ms`);
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

/** An idle generator that follows events of these pods, each of five containers. An inspection takes a turn of the event loop. */
async function followed(pods: number) {
  const clock = createVirtualClock();
  const waiting: ContainerEventLike[] = [];
  let resume = () => {};
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
      signal.addEventListener('abort', () => resume(), { once: true });
      while (!signal.aborted) {
        for (const event of waiting.splice(0)) yield event;
        await new Promise<void>((resolve) => {
          resume = resolve;
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
    /** Replaces the first container of every pod and emits events for it, `count` in all. */
    replace(count: number) {
      generation++;
      for (let i = 0; i < count; i++) {
        const uid = `pod-${i % pods}`;
        const event = { containerId: `${uid}-g${generation}`, containerEventType: 'CONTAINER_STARTED_EVENT', createdAt: 0n };
        waiting.push({ ...event, podSandboxStatus: { metadata: { uid } } });
      }
      resume();
    },
  };
}

/** Median milliseconds from 1,000 simultaneous events to the last pod event, and the number of inspections for them. */
async function eventCost(pods: number): Promise<{ milliseconds: number; inspections: number }> {
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
  return { milliseconds: times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0, inspections: Math.round(calls() / rounds) };
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
