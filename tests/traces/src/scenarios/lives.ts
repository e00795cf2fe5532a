import { createPod, deletePod, forever, foreverCommand, type Scenario, shell, untilPhase, untilReady } from '../scenario.js';

/** Pods that live as they should. */
export const lives: Scenario[] = [
  {
    name: 'simple',
    async act(world) {
      world.memory.script('c', forever);
      createPod(world, { containers: [shell('c', foreverCommand)] });
      await untilReady(world);
      await world.clock.advance(3_000);
      await deletePod(world);
    },
  },
  {
    name: 'init-sidecar-two',
    async act(world) {
      for (const name of ['side', 'a', 'b']) world.memory.script(name, forever);
      for (const name of ['i1', 'i2']) world.memory.script(name, { exit: { afterMs: 1_000 } });
      createPod(world, {
        initContainers: [shell('i1', 'sleep 1'), shell('side', foreverCommand, { restartPolicy: 'Always' }), shell('i2', 'sleep 1')],
        containers: [shell('a', foreverCommand), shell('b', foreverCommand)],
      });
      await untilReady(world);
      await world.clock.advance(3_000);
      await deletePod(world);
    },
  },
  {
    name: 'job-succeeds',
    async act(world) {
      world.memory.script('c', { exit: { afterMs: 2_000 } });
      createPod(world, { restartPolicy: 'Never', containers: [shell('c', 'sleep 2')] });
      await untilPhase(world, 'Succeeded');
      await world.clock.advance(3_000);
      await deletePod(world);
    },
  },
  {
    name: 'hooks',
    async act(world) {
      const slowHook = (command: string[]) => ({ afterMs: command.includes('sleep 1') ? 1_000 : 0 });
      world.memory.script('c', { ...forever, exec: slowHook });
      const lifecycle = {
        postStart: { exec: { command: ['sh', '-c', 'echo hi >/tmp/started'] } },
        preStop: { exec: { command: ['sh', '-c', 'sleep 1'] } },
      };
      createPod(world, { containers: [shell('c', foreverCommand, { lifecycle })] });
      await untilReady(world);
      await world.clock.advance(2_000);
      await deletePod(world);
    },
  },
];
