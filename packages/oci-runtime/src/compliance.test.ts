import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import { type ContainerKind, type CriSubject, criRuntimeSuite, defineSuite, type Fixture } from '@nodeagent/compliance';
import type { ContainerConfig } from '@nodeagent/cri-api';
import { describe, it } from 'vitest';
import { canRunContainers, canRunStreams, createTestMachine, testRuntimes } from './test-machine.js';

/** The first process of a process namespace ignores signals without a handler, but for SIGKILL. */
const containers: Record<ContainerKind, ContainerConfig> = {
  runs: { command: ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 0.1; done'] },
  succeeds: { command: ['true'] },
  fails: { command: ['sh', '-c', 'exit 3'] },
  'ignores-stop': { command: ['sleep', '1000'] },
};

async function startSubject(runtimeProgram: string): Promise<Fixture<CriSubject>> {
  const machine = createTestMachine(runtimeProgram);
  const { runtime, image, start, stop } = machine.create();
  await start();
  return {
    subject: {
      runtime,
      image,
      container: (kind) => ({
        image: { image: 'host' },
        linux: { securityContext: { namespaceOptions: { pid: 'CONTAINER' } } },
        ...containers[kind],
      }),
      sandbox: {
        logDirectory: join(machine.folder, 'logs'),
        linux: { cgroupParent: machine.cgroupParent, securityContext: { namespaceOptions: { pid: 'CONTAINER' } } },
      },
      images: { present: 'host', absent: 'nginx:1' },
      exec: {
        answers: [
          { cmd: ['true'], exitCode: 0, stdout: '' },
          { cmd: ['sh', '-c', 'echo hello; exit 5'], exitCode: 5, stdout: 'hello\n' },
        ],
        hangs: ['sleep', '60'],
      },
      streaming: {
        copies: ['cat'],
        echoes: { command: ['socat', 'TCP4-LISTEN:4000,fork,bind=127.0.0.1', 'PIPE'], port: 4000, refused: 4001 },
      },
      sleep: (ms) => systemClock.sleep(ms),
    },
    async cleanup() {
      const { items } = await runtime.listPodSandbox({});
      for (const { id } of items) await runtime.removePodSandbox({ podSandboxId: id });
      await stop();
      machine.remove();
    },
  };
}

describe.runIf(canRunContainers).each(testRuntimes)('the OCI runtime on %s keeps the promises of a', (program) => {
  defineSuite({ describe, it }, criRuntimeSuite, () => startSubject(program), { without: canRunStreams ? [] : ['streaming'] });
});
