import { parseTime } from '@nodeagent/api/helpers';
import { type ClaimLine, claimLines, type DriverLine, driverLines } from './claim-lines.js';
import { type DeviceResourceLine, deviceResourceLines } from './device-lines.js';
import type { NodePageAgent, PageImage, PagePod } from './options.js';
import type { UsageSeries } from './usage-history.js';

/** What the page shows of the node when it is open: the answer of `GET node`. Times are milliseconds since 1970. */
export interface NodeDetails {
  version?: string;
  runtime?: string;
  addresses?: readonly string[];
  /** When the node booted. */
  bootedAt?: number;
  /** Usage since a browser watches, at most an hour. */
  history: UsageSeries;
  /** The pods in the order in which they would be evicted, and for which signal. */
  eviction?: { signal: string; candidates: { pod: string; evictable: boolean; reason: string }[] };
  /** First those that the next garbage collection would remove. Absent: the images cannot be listed. */
  images?: { lines: ImageLine[]; freedBytes: number };
  /** The resources of device plugins. */
  devices: DeviceResourceLine[];
  /** The DRA drivers. */
  drivers: DriverLine[];
  /** The ResourceClaims of pods. */
  claims: ClaimLine[];
}

export interface ImageLine {
  id: string;
  /** Its name in the status of a container; absent if no container has it. */
  name?: string;
  size: number;
  isRemoved: boolean;
  /** Why the garbage collection removes or keeps it. */
  reason: string;
}

const reasons: Readonly<Record<PageImage['reason'], string>> = {
  TooOld: 'unused for longer than the maximum age',
  FreesSpace: 'unused, frees space',
  InUse: 'in use',
  Pinned: 'pinned by the runtime',
  TooYoung: 'younger than the minimum age',
  JustUsed: 'used just now',
  NotNeeded: 'unused, there is enough space',
};

interface NodeFacts {
  version?: string | undefined;
  runtime?: string | undefined;
  addresses?: readonly string[] | undefined;
  history: UsageSeries;
  /** When the node booted. */
  startTime?: string | undefined;
}

/** The details of the node of this agent. Never rejects: what cannot be read is absent. */
export async function nodeDetails(
  agent: Pick<NodePageAgent, 'eviction' | 'imageGc' | 'pods' | 'devicePlugins' | 'dynamicResources' | 'stats'>,
  facts: NodeFacts,
): Promise<NodeDetails> {
  const { version, runtime, addresses, history, startTime } = facts;
  const eviction = agent.eviction?.explain();
  const plan = await agent.imageGc?.plan().catch(() => undefined);
  const pods = agent.pods();
  const [devices, resources] = [agent.devicePlugins?.(), agent.dynamicResources?.()];
  const names = imageNames(pods);
  const bootedAt = parseTime(startTime);
  return {
    ...(version !== undefined && { version }),
    ...(runtime !== undefined && { runtime }),
    ...(addresses !== undefined && { addresses }),
    ...(bootedAt !== undefined && { bootedAt }),
    history,
    ...(eviction && {
      eviction: {
        signal: eviction.signal,
        candidates: eviction.candidates.map(({ namespace, name, evictable, reason }) => ({
          pod: `${namespace}/${name}`,
          evictable,
          reason,
        })),
      },
    }),
    ...(plan && {
      images: {
        lines: plan.images.map((image) => imageLine(image, names.get(image.id))),
        freedBytes: plan.freedBytes,
      },
    }),
    devices: devices === undefined ? [] : deviceResourceLines(devices, pods),
    drivers: resources === undefined ? [] : driverLines(resources),
    claims: claimLines(pods, resources),
  };
}

const imageLine = ({ id, size, action, reason }: PageImage, name: string | undefined): ImageLine => ({
  id,
  ...(name !== undefined && { name }),
  size,
  isRemoved: action === 'remove',
  reason: reasons[reason],
});

/** The names of images by id, which a status has as a digest or after the runtime's scheme. */
function imageNames(pods: readonly PagePod[]): Map<string, string> {
  const statuses = pods.flatMap(({ status }) => [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]);
  return new Map(statuses.map(({ image, imageID }) => [imageID.replace(/^.*(?:@|:\/\/)/, ''), image]));
}
