import type { Probe } from '@nodeagent/api';
import { isPodReady } from '@nodeagent/api/helpers';
import type { ContainerBehaviour } from '@nodeagent/memory-runtime';
import {
  createPod,
  deletePod,
  forever,
  foreverCommand,
  type Scenario,
  type ScenarioContext,
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
  ({ clock }: ScenarioContext, from: number, to = Number.POSITIVE_INFINITY) =>
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
    async act(context) {
      const run = withFile(context, 0, 6_000);
      // The second one receives its signal while its shell sleeps before the trap is set.
      context.memory.script('c', ({ attempt }) => ({ ...run(), ...(attempt > 0 && { onStop: 'ignore' }) }));
      const livenessProbe = probe({ periodSeconds: 2, failureThreshold: 2 });
      createPod(context, { containers: [shell('c', `touch /tmp/ok; sleep 6; rm /tmp/ok; ${foreverCommand}`, { livenessProbe })] });
      await untilRestarts(context, 1);
      await context.clock.advance(4_000);
      await deletePod(context);
    },
  },
  {
    name: 'readiness-flips',
    async act(context) {
      context.memory.script('c', withFile(context, 3_000, 9_000));
      const readinessProbe = probe({ periodSeconds: 1, failureThreshold: 2 });
      createPod(context, {
        containers: [shell('c', `sleep 3; touch /tmp/ok; sleep 6; rm /tmp/ok; ${foreverCommand}`, { readinessProbe })],
      });
      await untilReady(context);
      await until(context, (pod) => pod !== undefined && !isPodReady(pod));
      await context.clock.advance(2_000);
      await deletePod(context);
    },
  },
  {
    name: 'startup-probe',
    statusesPass: true,
    async act(context) {
      context.memory.script('c', withFile(context, 4_000));
      const startupProbe = probe({ periodSeconds: 1, failureThreshold: 30 });
      createPod(context, {
        containers: [shell('c', `sleep 4; touch /tmp/ok; ${foreverCommand}`, { startupProbe, livenessProbe: probe({ periodSeconds: 1 }) })],
      });
      await untilReady(context);
      await context.clock.advance(2_000);
      await deletePod(context);
    },
  },
];
