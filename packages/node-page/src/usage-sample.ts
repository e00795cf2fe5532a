import type { CpuStats, MemoryStats, Summary } from '@nodeagent/api';
import type { PagePod } from './options.js';
import { restartsOf, type Usage, type UsageSample } from './usage-history.js';

/** The sample of a summary. Bytes of the network are rates since the sample before: without one they are absent. */
export function usageSample(
  { node, pods }: Summary,
  { at, views, before }: { at: number; views: readonly PagePod[]; before: NetworkBytes | undefined },
): UsageSample {
  const restarts = restartsOf(views);
  const { capacityBytes, availableBytes } = node.fs ?? {};
  return {
    at,
    node: {
      ...usageOf(node),
      ...networkRates(before, networkBytes({ node }, at)),
      ...(capacityBytes !== undefined && availableBytes !== undefined && { disk: Number(capacityBytes - availableBytes) }),
    },
    pods: Object.fromEntries(
      pods.map((each) => {
        const { uid } = each.podRef;
        const count = restarts.get(uid);
        return [uid, { ...usageOf(each), ...(count !== undefined && { restarts: count }) }];
      }),
    ),
  };
}

/** Bytes that the node's network received and sent until a time, in milliseconds since 1970. */
export interface NetworkBytes {
  at: number;
  rx?: bigint;
  tx?: bigint;
}

export function networkBytes({ node }: Pick<Summary, 'node'>, at: number): NetworkBytes {
  const { rxBytes, txBytes } = node.network ?? {};
  return { at, ...(rxBytes !== undefined && { rx: rxBytes }), ...(txBytes !== undefined && { tx: txBytes }) };
}

/** Bytes a second. */
function networkRates(before: NetworkBytes | undefined, now: NetworkBytes): { rx?: number; tx?: number } {
  const seconds = before === undefined ? 0 : (now.at - before.at) / 1_000;
  const rate = (from: bigint | undefined, to: bigint | undefined) =>
    from === undefined || to === undefined || to < from || seconds <= 0 ? undefined : Number(to - from) / seconds;
  const [rx, tx] = [rate(before?.rx, now.rx), rate(before?.tx, now.tx)];
  return { ...(rx !== undefined && { rx }), ...(tx !== undefined && { tx }) };
}

/** CPU cores, and bytes of the working set. */
export function usageOf({ cpu, memory }: { cpu?: CpuStats; memory?: MemoryStats }): Usage {
  const { usageNanoCores } = cpu ?? {};
  const { workingSetBytes } = memory ?? {};
  return {
    ...(usageNanoCores !== undefined && { cpu: Number(usageNanoCores) / 1e9 }),
    ...(workingSetBytes !== undefined && { memory: Number(workingSetBytes) }),
  };
}
