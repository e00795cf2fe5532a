import { createPod, deletePod, forever, foreverCommand, type Scenario, shell, untilPhase, untilReady } from '../scenario.js';

/** Pods that live as they should. */
export const lifecycles: Scenario[] = [
  {
    name: 'simple',
    async act(context) {
      context.memory.script('c', forever);
      createPod(context, { containers: [shell('c', foreverCommand)] });
      await untilReady(context);
      await context.clock.advance(3_000);
      await deletePod(context);
    },
  },
  {
    name: 'init-sidecar-two',
    async act(context) {
      for (const name of ['side', 'a', 'b']) context.memory.script(name, forever);
      for (const name of ['i1', 'i2']) context.memory.script(name, { exit: { afterMs: 1_000 } });
      createPod(context, {
        initContainers: [shell('i1', 'sleep 1'), shell('side', foreverCommand, { restartPolicy: 'Always' }), shell('i2', 'sleep 1')],
        containers: [shell('a', foreverCommand), shell('b', foreverCommand)],
      });
      await untilReady(context);
      await context.clock.advance(3_000);
      await deletePod(context);
    },
  },
  {
    name: 'job-succeeds',
    async act(context) {
      context.memory.script('c', { exit: { afterMs: 2_000 } });
      createPod(context, { restartPolicy: 'Never', containers: [shell('c', 'sleep 2')] });
      await untilPhase(context, 'Succeeded');
      await context.clock.advance(3_000);
      await deletePod(context);
    },
  },
  {
    name: 'hooks',
    async act(context) {
      const slowHook = (command: string[]) => ({ afterMs: command.includes('sleep 1') ? 1_000 : 0 });
      context.memory.script('c', { ...forever, exec: slowHook });
      const lifecycle = {
        postStart: { exec: { command: ['sh', '-c', 'echo hi >/tmp/started'] } },
        preStop: { exec: { command: ['sh', '-c', 'sleep 1'] } },
      };
      createPod(context, { containers: [shell('c', foreverCommand, { lifecycle })] });
      await untilReady(context);
      await context.clock.advance(2_000);
      await deletePod(context);
    },
  },
];
