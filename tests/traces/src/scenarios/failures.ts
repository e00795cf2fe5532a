import { createPod, deletePod, forever, foreverCommand, image, type Scenario, shell, untilPhase } from '../scenario.js';

const noSuchCommand =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start ' +
  'container process: exec: "/no/such": stat /no/such: no such file or directory';

/** Containers that fail, and pods that end with them. */
export const failures: Scenario[] = [
  {
    name: 'reject-affinity',
    async act(world) {
      createPod(world, { nodeSelector: { no: 'such' }, containers: [shell('c', foreverCommand)] });
      await untilPhase(world, 'Failed');
      await world.clock.advance(2_000);
      await deletePod(world);
    },
  },
  {
    name: 'reject-cpu',
    async act(world) {
      createPod(world, { containers: [shell('c', foreverCommand, { resources: { requests: { cpu: '100' } } })] });
      await untilPhase(world, 'Failed');
      await world.clock.advance(2_000);
      await deletePod(world);
    },
  },
  {
    name: 'crash-loop',
    long: true,
    restarts: true,
    async act(world) {
      world.memory.script('c', { exit: { afterMs: 1_000, code: 3 } });
      createPod(world, { containers: [shell('c', 'sleep 1; exit 3')] });
      await world.clock.advance(75_000);
      await deletePod(world);
    },
  },
  {
    name: 'init-fails-never',
    async act(world) {
      world.memory.script('i', { exit: { afterMs: 100, code: 7 } });
      createPod(world, { restartPolicy: 'Never', initContainers: [shell('i', 'exit 7')], containers: [shell('c', foreverCommand)] });
      await untilPhase(world, 'Failed');
      await world.clock.advance(3_000);
      await deletePod(world);
    },
  },
  {
    name: 'poststart-fails',
    long: true,
    restarts: true,
    async act(world) {
      // Told to end right after its start it still sleeps for almost a second.
      world.memory.script('c', { onStop: { afterMs: 950, code: 0 }, exec: { exitCode: 1 } });
      const lifecycle = { postStart: { exec: { command: ['false'] } } };
      createPod(world, { containers: [shell('c', foreverCommand, { lifecycle })] });
      await world.clock.advance(24_000);
      await deletePod(world);
    },
  },
  {
    name: 'config-missing',
    async act(world) {
      const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'nope', key: 'a' } } }];
      createPod(world, { containers: [shell('c', foreverCommand, { env })] });
      await world.clock.advance(6_000);
      await deletePod(world);
    },
  },
  {
    name: 'command-not-found',
    long: true,
    restarts: true,
    async act(world) {
      world.memory.script('c', { startError: noSuchCommand });
      createPod(world, { containers: [{ name: 'c', image, imagePullPolicy: 'IfNotPresent', command: ['/no/such'] }] });
      await world.clock.advance(24_000);
      await deletePod(world);
    },
  },
  {
    name: 'deadline',
    async act(world) {
      world.memory.script('c', forever);
      createPod(world, { activeDeadlineSeconds: 5, containers: [shell('c', foreverCommand)] });
      await untilPhase(world, 'Failed');
      await world.clock.advance(3_000);
      await deletePod(world);
    },
  },
  {
    name: 'oom',
    async act(world) {
      world.memory.script('c', { exit: { afterMs: 400, code: 137, reason: 'OOMKilled' } });
      const resources = { limits: { memory: '24Mi' } };
      createPod(world, { restartPolicy: 'Never', containers: [shell('c', 'x=a; while :; do x=$x$x; done', { resources })] });
      await untilPhase(world, 'Failed');
      await world.clock.advance(3_000);
      await deletePod(world);
    },
  },
  {
    name: 'termination-message',
    async act(world) {
      world.memory.script('c', { exit: { code: 4 }, terminationMessage: 'bye\n' });
      world.memory.script('d', { exit: { afterMs: 300, code: 5 }, logs: ['from the log'] });
      createPod(world, {
        restartPolicy: 'Never',
        containers: [
          shell('c', 'echo bye >/dev/termination-log; exit 4'),
          shell('d', 'echo from the log; exit 5', { terminationMessagePolicy: 'FallbackToLogsOnError' }),
        ],
      });
      await untilPhase(world, 'Failed');
      await world.clock.advance(3_000);
      await deletePod(world);
    },
  },
];
