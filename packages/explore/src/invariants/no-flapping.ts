import type { KubeObject } from '@nodeagent/api';
import type { ControllerWrite, Invariant } from '../run.js';

/** How often a spec may return to an earlier value more than in the undisturbed run: an outdated view may undo a change once. */
const tolerated = 1;

/** The controller does not write a spec back and forth. */
export const noFlapping: Invariant = {
  name: 'no spec flaps',
  check(run, undisturbed) {
    const usual = Math.max(0, ...returns(undisturbed.writes).values());
    for (const [object, count] of returns(run.writes)) {
      if (count > usual + tolerated) return `the spec of ${object} returned ${count} times to an earlier value`;
    }
    return undefined;
  },
};

/** How often the spec of each object, by resource and name, returned to an earlier value. */
function returns(writes: readonly ControllerWrite[]): Map<string, number> {
  const specs = new Map<string, string[]>();
  const counts = new Map<string, number>();
  for (const { resource, name, object } of writes) {
    const spec = (object as (KubeObject & { spec?: unknown }) | undefined)?.spec;
    if (spec === undefined) continue;
    const key = `${resource} ${name} ${object?.metadata?.uid}`;
    const earlier = specs.get(key) ?? [];
    const text = JSON.stringify(spec);
    if (text === earlier.at(-1)) continue;
    if (earlier.includes(text)) counts.set(key, (counts.get(key) ?? 0) + 1);
    specs.set(key, [...earlier, text]);
  }
  return counts;
}
