import { expect, it } from 'vitest';
import { stateOf } from './test-node.js';
import { kinds, type Scene, statesOf, withScene } from './test-scene.js';

/**
 * Pods come and go while agents end at their first step of that, then at their second, and so on; each next agent has to put things right,
 * with the pod or without it, and is the one to end next.
 */
async function endAtAnyStep({ node, pod, startAgent, violations }: Scene, when: 'mounting' | 'unmounting', stays: boolean): Promise<void> {
  const [neighbour, web] = [pod('neighbour'), pod('web')];
  const states = await statesOf({ node, pod, startAgent });
  const isBack = async (state: string[]) => String(await stateOf(node)) === String(state);
  let agent = await startAgent([neighbour, web]);
  await agent.mounted();

  for (let at = 1, met = true; met; at++) {
    const crash = { at, when, stays };
    const [before, after] = when === 'mounting' ? [[neighbour], [neighbour, web]] : [[neighbour, web], [neighbour]];
    agent.setPods(before);
    await agent.mounted();
    await agent.until(() => isBack(when === 'mounting' ? states.without : states.with));
    agent.life.meet({ at, kind: 'end' });
    agent.setPods(after);
    if (when === 'mounting') await agent.mounted();
    else await agent.until(() => isBack(states.without));
    // What it has begun ends.
    await agent.clock.settle();
    met = agent.life.meet();
    if (met) agent.buried();
    else await agent.stop();

    agent = await startAgent(stays ? [neighbour, web] : [neighbour]);
    await agent.mounted();
    const expected = stays ? states.with : states.without;
    await agent.until(() => isBack(expected));
    await agent.clock.advance(600_000);
    const { steps } = agent.life;
    await agent.clock.advance(600_000);
    const later = agent.life.steps - steps;
    expect({ crash, state: await stateOf(node), violations, later }).toEqual({ crash, state: expected, violations: [], later: 0 });
  }
  await agent.stop();
}

it.each(Object.entries(kinds))(
  '%s: an agent that ends at any step leaves nothing that the next one does not put right',
  async (_, kind) => {
    for (const when of ['mounting', 'unmounting'] as const)
      for (const stays of [false, true]) await withScene(kind, (scene) => endAtAnyStep(scene, when, stays));
  },
);
