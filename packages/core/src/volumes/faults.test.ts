import { expect, it } from 'vitest';
import type { InjectedFault } from './test-crashing-files.js';
import { kinds } from './test-kinds.js';
import { stateOf } from './test-node.js';
import { type Scene, statesOf, withScene } from './test-scene.js';

/** The causes that events may report. */
const causes =
  /i\/o error|no space left|wrong fs type|target is busy|cannot be run|no response|the driver failed|not staged|still published/;

/** Adds and removes a pod while the first step fails, then the second, and so on: the agent must reach the expected state by itself. */
async function failAtAnyStep({ node, pod, startAgent, violations }: Scene, kind: InjectedFault['kind']): Promise<void> {
  const [neighbour, web] = [pod('neighbour'), pod('web')];
  const states = await statesOf({ node, pod, startAgent });
  const agent = await startAgent([neighbour]);
  await agent.mounted();

  for (let at = 1, isHit = true; isHit; at++) {
    isHit = false;
    for (const [pods, expected] of [
      [[neighbour, web], states.with],
      [[neighbour], states.without],
    ] as const) {
      agent.steps.inject({ at, kind });
      agent.setPods([...pods]);
      await agent.clock.advance(10_000);
      isHit ||= agent.steps.inject();
      await agent.mounted();
      await agent.until(async () => String(await stateOf(node)) === String(expected));
      const unexpected = agent.recorder.events.filter(({ type, message }) => type === 'Warning' && !causes.test(message));
      const fault = { at, kind, pods: pods.length };
      expect({ fault, state: await stateOf(node), violations, unexpected }).toEqual({
        fault,
        state: expected,
        violations: [],
        unexpected: [],
      });
    }
  }
  await agent.stop();
}

it.each(Object.entries(kinds))('%s: a failed step or a full disk is reported, and leaves nothing after the removal', async (_, kind) => {
  for (const fault of ['failure', 'full disk'] as const) await withScene(kind, (scene) => failAtAnyStep(scene, fault));
});
