import { describe, expect, it } from 'vitest';
import { createKillablePorts } from './killable-ports.js';
import { restartProblems } from './restart.js';
import { createPod, deletePod, forever, foreverCommand, type Scenario, shell, untilReady } from './scenario.js';
import { createScenarioNode, type ScenarioNode } from './scenario-node.js';
import { scenarios } from './scenarios/index.js';

describe('an agent that is killed', () => {
  it.each(['simple', 'init-sidecar-two'])('in the middle of %s is replaced by the next without a difference', async (name) => {
    const scenario = scenarios.find((candidate) => candidate.name === name);
    expect(scenario && (await restartProblems(scenario, 6, 'listing'))).toEqual([]);
  });

  it('makes no call, fires no timer and receives no response any more', async () => {
    const { memory, clock } = createScenarioNode('listing');
    const ports = createKillablePorts(clock, memory);
    const recorded: string[] = [];
    const record = (what: string) => () => void recorded.push(what);
    ports.clock.setTimeout(record('timer'), 10);
    ports.clock.sleep(10).then(record('sleep'));
    const config = { metadata: { name: 'p', namespace: 'n', uid: 'u', attempt: 0 } };
    ports.cri.runtime.runPodSandbox({ config }).then(record('call'), record('call'));
    ports.kill();
    ports.cri.runtime.listPodSandbox({}).then(record('later call'), record('later call'));
    await clock.advance(1_000);
    expect(recorded).toEqual([]);
    expect(memory.sandboxes()).toHaveLength(1);
    expect(memory.callsOf('listPodSandbox')).toEqual([]);
  });

  it('works as usual before', async () => {
    const { memory, clock } = createScenarioNode('listing');
    const ports = createKillablePorts(clock, memory);
    await expect(ports.cri.runtime.containerStatus({ containerId: 'none' })).rejects.toMatchObject({ code: 'CRI_NOT_FOUND' });
    await expect(clock.run(ports.clock.sleep(10).then(() => ports.clock.monotonic()))).resolves.toBe(10);
  });
});

describe('a restart check', () => {
  const withScenario = (act: Scenario['act']): Scenario => ({ name: 'x', act });
  const lifecycles = async (context: Parameters<Scenario['act']>[0]) => {
    context.memory.script('c', forever);
    createPod(context, { containers: [shell('c', foreverCommand)] });
    await untilReady(context);
  };

  it('finds leftovers', async () => {
    const [first] = await restartProblems(withScenario(lifecycles), 0, 'listing');
    expect(first).toBe('still running at the end: c');
  });

  it('finds a different termination of the pod', async () => {
    let runs = 0;
    const scenario = withScenario(async (context) => {
      if (runs++ > 0) context.memory.script('c', { exit: { afterMs: 100, code: 9 } });
      else context.memory.script('c', { exit: { afterMs: 100 } });
      createPod(context, { restartPolicy: 'Never', containers: [shell('c', 'exit 9')] });
      await context.clock.advance(10_000);
      await deletePod(context);
    });
    expect((await restartProblems(scenario, 1, 'listing'))[0]).toMatch(/^killed after \d+ ms: ends as Failed .*, not as Succeeded /);
  });

  it('finds two running containers of one name', async () => {
    const scenario = withScenario(async (context) => {
      await lifecycles(context);
      const { memory, clock } = context as ScenarioNode & typeof context;
      const uid = context.api.pod?.metadata?.uid ?? '';
      const { podSandboxId } = await clock.run(
        memory.runtime.runPodSandbox({ config: { metadata: { name: 'q', uid, namespace: 'n', attempt: 0 } } }),
      );
      const config = { metadata: { name: 'c', attempt: 0 }, image: { image: 'localhost/busybox:1' } };
      const { containerId } = await clock.run(memory.runtime.createContainer({ podSandboxId, config }));
      await clock.run(memory.runtime.startContainer({ containerId }));
      await context.clock.advance(100);
      await deletePod(context);
    });
    expect(await restartProblems(scenario, 0, 'listing')).toContain('two containers c run at the same time');
  });
});
