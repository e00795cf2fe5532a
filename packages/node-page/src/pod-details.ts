import type { Pod, Volume } from '@nodeagent/api';
import { computeQosClass, podUid } from '@nodeagent/api/helpers';
import { explainPod } from '@nodeagent/pod-view';
import { briefError, withoutUids } from '@nodeagent/pod-view/timeline';
import { type ClaimLine, claimLines } from './claim-lines.js';
import type { NodePageAgent, PageEvent, PagePod } from './options.js';
import { podManifest } from './pod-manifest.js';
import type { Usage, UsageSeries } from './usage-history.js';

/** What the page shows of an open pod: the answer of `GET pod?uid=`. Times are milliseconds since 1970. */
export interface PodDetails {
  uid: string;
  /** Why the pod is in its state and what happens next. */
  explanation: string;
  qosClass: string;
  volumes: VolumeLine[];
  /** Its ResourceClaims. */
  claims: ClaimLine[];
  /** Newest first. */
  events: { at: number; count: number; warning: boolean; text: string }[];
  /** Usage and restarts since a browser watches, at most an hour. */
  history: UsageSeries;
  /** Usage at the last sample, by container. */
  containers: Record<string, Usage>;
  /** YAML, without secrets. */
  manifest: string;
}

export interface VolumeLine {
  name: string;
  /** `configMap settings`, `emptyDir`. */
  source: string;
  /** `main: /data (read-only)`. */
  mounts: string[];
}

/** The details of a pod of the agent. */
export function podDetails(
  view: PagePod,
  agent: Pick<NodePageAgent, 'events' | 'dynamicResources'>,
  usage: { history: UsageSeries; containers: Record<string, Usage>; now: number },
): PodDetails {
  const { pod, status } = view;
  const uid = podUid(pod);
  const { history, containers, now } = usage;
  const events = agent.events?.(uid) ?? [];
  const explained = events.map(({ at, count, type, reason, message }) => ({
    type,
    reason,
    message,
    count,
    lastTimestamp: new Date(at).toISOString(),
  }));
  return {
    uid,
    explanation: briefError(explainPod({ ...pod, status }, { now, events: explained }).sentence),
    qosClass: status.qosClass ?? computeQosClass(pod),
    volumes: (pod.spec?.volumes ?? []).map((volume) => volumeLine(volume, pod)),
    claims: claimLines([view], agent.dynamicResources?.()),
    events: events.map(eventLine).reverse(),
    history,
    containers,
    manifest: podManifest(pod, status),
  };
}

const eventLine = ({ at, count, type, reason, message }: PageEvent) => ({
  at,
  count,
  warning: type === 'Warning',
  text: `${reason}: ${withoutUids(message)}`,
});

/** The names of what a volume refers to. */
const nameFields = ['name', 'secretName', 'claimName', 'path', 'driver', 'reference', 'server', 'medium'];

function volumeLine({ name, ...sources }: Volume, { spec }: Pod): VolumeLine {
  const [type, source = {}] = Object.entries(sources).find(([, value]) => value !== undefined) ?? ['emptyDir'];
  const named = nameFields
    .map((field) => (source as Record<string, unknown>)[field])
    .find((value) => typeof value === 'string' && value !== '');
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  return {
    name,
    source: named === undefined ? type : `${type} ${named}`,
    mounts: containers.flatMap((container) =>
      (container.volumeMounts ?? [])
        .filter((mount) => mount.name === name)
        .map(({ mountPath, readOnly }) => `${container.name}: ${mountPath}${readOnly ? ' (read-only)' : ''}`),
    ),
  };
}
