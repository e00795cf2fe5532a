import { describe, expect, it } from 'vitest';
import { mortal } from './mortal.js';
import { restartProblems } from './restart.js';
import { createPod, deletePod, forever, foreverCommand, type Scenario, shell, untilReady } from './scenario.js';
import { createScenarioNode, type ScenarioNode } from './scenario-node.js';
import { scenarios } from './scenarios/index.js';

describe('an agent that is killed', () => {
  it.each(['simple', 'init-sidecar-two'])('in the middle of %s leaves everything to the next', async (name) => {
    const scenario = scenarios.find((candidate) => candidate.name === name);
    expect(scenario && (await restartProblems(scenario, 6, 'listing'))).toEqual([]);
  });

  it('makes no call, fires no timer and hears of nothing any more', async () => {
    const { memory, clock } = createScenarioNode('listing');
    const life = mortal(clock, memory);
    const heard: string[] = [];
    const hear = (what: string) => () => void heard.push(what);
    life.clock.setTimeout(hear('timer'), 10);
    life.clock.sleep(10).then(hear('sleep'));
    const config = { metadata: { name: 'p', namespace: 'n', uid: 'u', attempt: 0 } };
    life.cri.runtime.runPodSandbox({ config }).then(hear('call'), hear('call'));
    life.kill();
    life.cri.runtime.listPodSandbox({}).then(hear('later call'), hear('later call'));
    await clock.advance(1_000);
    expect(heard).toEqual([]);
    expect(memory.sandboxes()).toHaveLength(1);
    expect(memory.callsOf('listPodSandbox')).toEqual([]);
  });

  it('is as any other until then', async () => {
    const { memory, clock } = createScenarioNode('listing');
    const life = mortal(clock, memory);
    await expect(life.cri.runtime.containerStatus({ containerId: 'none' })).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
    await expect(clock.run(life.clock.sleep(10).then(() => life.clock.monotonic()))).resolves.toBe(10);
  });
});

describe('what is looked at', () => {
  const withLife = (act: Scenario['act']): Scenario => ({ name: 'x', act });
  const lives = async (world: Parameters<Scenario['act']>[0]) => {
    world.memory.script('c', forever);
    createPod(world, { containers: [shell('c', foreverCommand)] });
    await untilReady(world);
  };

  it('is whether something is left behind', async () => {
    const [first] = await restartProblems(withLife(lives), 0, 'listing');
    expect(first).toBe('still running at the end: c');
  });

  it('is whether the pod ends as it would have', async () => {
    let runs = 0;
    const scenario = withLife(async (world) => {
      if (runs++ > 0) world.memory.script('c', { exit: { afterMs: 100, code: 9 } });
      else world.memory.script('c', { exit: { afterMs: 100 } });
      createPod(world, { restartPolicy: 'Never', containers: [shell('c', 'exit 9')] });
      await world.clock.advance(10_000);
      await deletePod(world);
    });
    expect((await restartProblems(scenario, 1, 'listing'))[0]).toMatch(/^killed after \d+ ms: ends as Failed .*, not as Succeeded /);
  });

  it('is whether two of a name run at once', async () => {
    const scenario = withLife(async (world) => {
      await lives(world);
      const { memory, clock } = world as ScenarioNode & typeof world;
      const uid = world.api.pod?.metadata?.uid ?? '';
      const { podSandboxId } = await clock.run(
        memory.runtime.runPodSandbox({ config: { metadata: { name: 'q', uid, namespace: 'n', attempt: 0 } } }),
      );
      const config = { metadata: { name: 'c', attempt: 0 }, image: { image: 'localhost/busybox:1' } };
      const { containerId } = await clock.run(memory.runtime.createContainer({ podSandboxId, config }));
      await clock.run(memory.runtime.startContainer({ containerId }));
      await world.clock.advance(100);
      await deletePod(world);
    });
    expect(await restartProblems(scenario, 0, 'listing')).toContain('two containers c run at once');
  });
});
