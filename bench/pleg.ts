import { performance } from 'node:perf_hooks';
import type { RuntimeContainer, RuntimePod } from '@nodeagent/api';
import { createGenericPleg, createPodCache, emptyPodStatus } from '@nodeagent/pleg';

const containersPerPod = 5;
const rounds = 40;

/** What one relist costs beyond the runtime's own time: the listing is ready, statuses answer at once. */
export async function benchPleg(report: (line: string) => void): Promise<void> {
  for (const containers of [100, 1_000, 5_000]) {
    report(`pleg relist ${containers} containers unchanged: ${(await relistCost(containers, 0)).toFixed(3)} ms`);
    report(`pleg relist ${containers} containers 1% changed: ${(await relistCost(containers, 0.01)).toFixed(3)} ms`);
  }
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
    pods.push({ uid, name: uid, namespace: 'bench', containers: members, sandboxes: [entry(`sandbox-${first}`, 'running')], timestamp: 0 });
  }
  return pods;
}

function entry(id: string, state: RuntimeContainer['state']): RuntimeContainer {
  return { id, name: id, state, createdAt: 0n, image: '', imageId: '', imageRef: '', hash: '', podSandboxId: '' };
}
