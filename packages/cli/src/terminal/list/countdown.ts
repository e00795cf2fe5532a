import type { Pod } from '@nodeagent/api';
import { formatAge, type NextRestartsOptions, nextRestarts } from '@nodeagent/pod-view';

/**
 * When the next of the pod's back-offs ends: `in 17s: main restarts`, `in 2m5s: main pulls nginx:1 again`. Undefined without a back-off whose end
 * is known.
 */
export function countdown(pod: Pod, now: number, options: NextRestartsOptions): string | undefined {
  const [next] = nextRestarts(pod, now, options)
    .flatMap(({ container, state, at }) =>
      at !== undefined && (state === 'backOff' || state === 'imagePull') ? [{ container, state, at }] : [],
    )
    .sort((a, b) => a.at - b.at);
  if (next === undefined) return undefined;
  const step = next.state === 'backOff' ? 'restarts' : `pulls ${imageOf(pod, next.container)} again`;
  // The node acts at its first sync after the end, so it may be late.
  const left = Math.max(0, next.at - now);
  const when = left === 0 ? 'at the next sync' : `in ${formatAge(Math.ceil(left / 1000) * 1000)}`;
  return `${when}: ${next.container} ${step}`;
}

function imageOf({ spec }: Pod, name: string): string {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].find((each) => each.name === name)?.image ?? 'its image';
}
