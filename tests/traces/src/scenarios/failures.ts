import { createPod, deletePod, forever, foreverCommand, image, type Scenario, shell, untilPhase } from '../scenario.js';

const noSuchCommand =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start ' +
  'container process: exec: "/no/such": stat /no/such: no such file or directory';

/** Containers that fail, and pods that end with them. */
export const failures: Scenario[] = [
  {
    name: 'reject-affinity',
    async act(context) {
      createPod(context, { nodeSelector: { no: 'such' }, containers: [shell('c', foreverCommand)] });
      await untilPhase(context, 'Failed');
      await context.clock.advance(2_000);
      await deletePod(context);
    },
  },
  {
    name: 'reject-cpu',
    async act(context) {
      createPod(context, { containers: [shell('c', foreverCommand, { resources: { requests: { cpu: '100' } } })] });
      await untilPhase(context, 'Failed');
      await context.clock.advance(2_000);
      await deletePod(context);
    },
  },
  {
    name: 'crash-loop',
    long: true,
    restarts: true,
    async act(context) {
      context.memory.script('c', { exit: { afterMs: 1_000, code: 3 } });
      createPod(context, { containers: [shell('c', 'sleep 1; exit 3')] });
      await context.clock.advance(75_000);
      await deletePod(context);
    },
  },
  {
    name: 'init-fails-never',
    async act(context) {
      context.memory.script('i', { exit: { afterMs: 100, code: 7 } });
      createPod(context, { restartPolicy: 'Never', initContainers: [shell('i', 'exit 7')], containers: [shell('c', foreverCommand)] });
      await untilPhase(context, 'Failed');
      await context.clock.advance(3_000);
      await deletePod(context);
    },
  },
  {
    name: 'poststart-fails',
    long: true,
    restarts: true,
    async act(context) {
      // A signal right after its start terminates it after almost a second, when its sleep ends.
      context.memory.script('c', { onStop: { afterMs: 950, code: 0 }, exec: { exitCode: 1 } });
      const lifecycle = { postStart: { exec: { command: ['false'] } } };
      createPod(context, { containers: [shell('c', foreverCommand, { lifecycle })] });
      await context.clock.advance(24_000);
      await deletePod(context);
    },
  },
  {
    name: 'config-missing',
    async act(context) {
      const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'nope', key: 'a' } } }];
      createPod(context, { containers: [shell('c', foreverCommand, { env })] });
      await context.clock.advance(6_000);
      await deletePod(context);
    },
  },
  {
    name: 'command-not-found',
    long: true,
    restarts: true,
    async act(context) {
      context.memory.script('c', { startError: noSuchCommand });
      createPod(context, { containers: [{ name: 'c', image, imagePullPolicy: 'IfNotPresent', command: ['/no/such'] }] });
      await context.clock.advance(24_000);
      await deletePod(context);
    },
  },
  {
    name: 'deadline',
    async act(context) {
      context.memory.script('c', forever);
      createPod(context, { activeDeadlineSeconds: 5, containers: [shell('c', foreverCommand)] });
      await untilPhase(context, 'Failed');
      await context.clock.advance(3_000);
      await deletePod(context);
    },
  },
  {
    name: 'oom',
    async act(context) {
      context.memory.script('c', { exit: { afterMs: 400, code: 137, reason: 'OOMKilled' } });
      const resources = { limits: { memory: '24Mi' } };
      createPod(context, { restartPolicy: 'Never', containers: [shell('c', 'x=a; while :; do x=$x$x; done', { resources })] });
      await untilPhase(context, 'Failed');
      await context.clock.advance(3_000);
      await deletePod(context);
    },
  },
  {
    name: 'termination-message',
    async act(context) {
      context.memory.script('c', { exit: { code: 4 }, terminationMessage: 'bye\n' });
      context.memory.script('d', { exit: { afterMs: 300, code: 5 }, logs: ['from the log'] });
      createPod(context, {
        restartPolicy: 'Never',
        containers: [
          shell('c', 'echo bye >/dev/termination-log; exit 4'),
          shell('d', 'echo from the log; exit 5', { terminationMessagePolicy: 'FallbackToLogsOnError' }),
        ],
      });
      await untilPhase(context, 'Failed');
      await context.clock.advance(3_000);
      await deletePod(context);
    },
  },
];
