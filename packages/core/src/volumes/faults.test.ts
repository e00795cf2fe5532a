import { expect, it } from 'vitest';
import type { Trouble } from './test-crashing-files.js';
import { stateOf } from './test-node.js';
import { kinds, type Scene, statesOf, withScene } from './test-scene.js';

/** What steps fail with. */
const causes =
  /i\/o error|no space left|wrong fs type|target is busy|cannot be run|no answer|the driver is out of order|not staged|still published/;

/** A pod comes and goes while the first step of that fails, then the second, and so on: the agent has to get over it by itself. */
async function failAtAnyStep({ node, pod, startAgent, violations }: Scene, kind: Trouble['kind']): Promise<void> {
  const [neighbour, web] = [pod('neighbour'), pod('web')];
  const states = await statesOf({ node, pod, startAgent });
  const agent = await startAgent([neighbour]);
  await agent.mounted();

  for (let at = 1, met = true; met; at++) {
    met = false;
    for (const [pods, expected] of [
      [[neighbour, web], states.with],
      [[neighbour], states.without],
    ] as const) {
      agent.life.meet({ at, kind });
      agent.setPods([...pods]);
      await agent.clock.advance(10_000);
      met ||= agent.life.meet();
      await agent.mounted();
      await agent.until(async () => String(await stateOf(node)) === String(expected));
      const untold = agent.recorder.events.filter(({ type, message }) => type === 'Warning' && !causes.test(message));
      const fault = { at, kind, pods: pods.length };
      expect({ fault, state: await stateOf(node), violations, untold }).toEqual({ fault, state: expected, violations: [], untold: [] });
    }
  }
  await agent.stop();
}

it.each(Object.entries(kinds))('%s: a failed step, or a full disk, leaves nothing behind and is reported', async (_, kind) => {
  for (const trouble of ['failure', 'full disk'] as const) await withScene(kind, (scene) => failAtAnyStep(scene, trouble));
});
