import { isPodReady, type Probe } from '@nodeagent/api';
import type { ContainerBehaviour } from '@nodeagent/memory-runtime';
import {
  createPod,
  deletePod,
  forever,
  foreverCommand,
  type Scenario,
  type ScenarioWorld,
  shell,
  until,
  untilReady,
  untilRestarts,
} from '../scenario.js';

/** Whether `/tmp/ok` exists. */
const probe = (more: Probe): Probe => ({ exec: { command: ['cat', '/tmp/ok'] }, ...more });
const missing = { exitCode: 1, stderr: "cat: can't open '/tmp/ok': No such file or directory\n" };

/** Runs for ever and has `/tmp/ok` in this span of milliseconds after its start. */
const withFile =
  ({ clock }: ScenarioWorld, from: number, to = Number.POSITIVE_INFINITY) =>
  (): ContainerBehaviour => {
    const start = clock.now();
    const hasFile = () => clock.now() - start >= from && clock.now() - start < to;
    return { ...forever, exec: () => (hasFile() ? {} : missing) };
  };

/** Pods whose probes fail. */
export const probes: Scenario[] = [
  {
    name: 'liveness-exec',
    restarts: true,
    async act(world) {
      const run = withFile(world, 0, 6_000);
      // The second one is told to end while its shell still sleeps and has no trap.
      world.memory.script('c', ({ attempt }) => ({ ...run(), ...(attempt > 0 && { onStop: 'ignore' }) }));
      const livenessProbe = probe({ periodSeconds: 2, failureThreshold: 2 });
      createPod(world, { containers: [shell('c', `touch /tmp/ok; sleep 6; rm /tmp/ok; ${foreverCommand}`, { livenessProbe })] });
      await untilRestarts(world, 1);
      await world.clock.advance(4_000);
      await deletePod(world);
    },
  },
  {
    name: 'readiness-flips',
    async act(world) {
      world.memory.script('c', withFile(world, 3_000, 9_000));
      const readinessProbe = probe({ periodSeconds: 1, failureThreshold: 2 });
      createPod(world, { containers: [shell('c', `sleep 3; touch /tmp/ok; sleep 6; rm /tmp/ok; ${foreverCommand}`, { readinessProbe })] });
      await untilReady(world);
      await until(world, (pod) => pod !== undefined && !isPodReady(pod));
      await world.clock.advance(2_000);
      await deletePod(world);
    },
  },
  {
    name: 'startup-probe',
    statusesPass: true,
    async act(world) {
      world.memory.script('c', withFile(world, 4_000));
      const startupProbe = probe({ periodSeconds: 1, failureThreshold: 30 });
      createPod(world, {
        containers: [shell('c', `sleep 4; touch /tmp/ok; ${foreverCommand}`, { startupProbe, livenessProbe: probe({ periodSeconds: 1 }) })],
      });
      await untilReady(world);
      await world.clock.advance(2_000);
      await deletePod(world);
    },
  },
];
