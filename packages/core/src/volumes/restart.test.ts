import { expect, it } from 'vitest';
import { kinds } from './test-kinds.js';
import { stateOf } from './test-node.js';
import { type Scene, statesOf, withScene } from './test-scene.js';

/**
 * Adds and removes pods while an agent is killed at its first step, the next one at its second step, and so on. Each next agent must recover,
 * with the pod or without it, and is killed next.
 */
async function killAtAnyStep(
  { node, pod, startAgent, violations }: Scene,
  when: 'mounting' | 'unmounting',
  isKept: boolean,
): Promise<void> {
  const [neighbour, web] = [pod('neighbour'), pod('web')];
  const states = await statesOf({ node, pod, startAgent });
  const isInState = async (state: string[]) => String(await stateOf(node)) === String(state);
  let agent = await startAgent([neighbour, web]);
  await agent.mounted();

  for (let at = 1, isHit = true; isHit; at++) {
    const crash = { at, when, isKept };
    const [before, after] = when === 'mounting' ? [[neighbour], [neighbour, web]] : [[neighbour, web], [neighbour]];
    agent.setPods(before);
    await agent.mounted();
    await agent.until(() => isInState(when === 'mounting' ? states.without : states.with));
    agent.steps.inject({ at, kind: 'kill' });
    agent.setPods(after);
    if (when === 'mounting') await agent.mounted();
    else await agent.until(() => isInState(states.without));
    // Started operations complete.
    await agent.clock.settle();
    isHit = agent.steps.inject();
    if (isHit) agent.closeHandles();
    else await agent.stop();

    agent = await startAgent(isKept ? [neighbour, web] : [neighbour]);
    await agent.mounted();
    const expected = isKept ? states.with : states.without;
    await agent.until(() => isInState(expected));
    await agent.clock.advance(600_000);
    const { count } = agent.steps;
    await agent.clock.advance(600_000);
    const later = agent.steps.count - count;
    expect({ crash, state: await stateOf(node), violations, later }).toEqual({ crash, state: expected, violations: [], later: 0 });
  }
  await agent.stop();
}

it.each(Object.entries(kinds))('%s: the next agent recovers after an agent was killed at any step', async (_, kind) => {
  for (const when of ['mounting', 'unmounting'] as const)
    for (const isKept of [false, true]) await withScene(kind, (scene) => killAtAnyStep(scene, when, isKept));
});
