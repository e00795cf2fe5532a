import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ContainerKind, type CriSubject, criRuntimeSuite, defineSuite, type Fixture } from '@nodeagent/compliance';
import type { ContainerConfig } from '@nodeagent/cri-api';
import { createCriClient } from '@nodeagent/cri-client';
import { beforeAll, describe, it } from 'vitest';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { describeOnRuntimes } from '../support/runtimes/describe-on-runtimes.js';
import { type PrivateRuntime, testImage } from '../support/runtimes/private-runtime.js';

/** In the sandbox's PID namespace `sleep` exits at its stop signal; as process 1 of a separate namespace it would not receive unhandled signals. */
const containers: Record<ContainerKind, ContainerConfig> = {
  runs: { command: ['sleep', '1000'] },
  succeeds: { command: ['true'] },
  fails: { command: ['sh', '-c', 'exit 3'] },
  'ignores-stop': { command: ['sleep', '1000'], linux: { securityContext: { namespaceOptions: { pid: 'CONTAINER' } } } },
};

/** The suite of the project's runtimes, on the most common runtime: a failure here is a wrong promise. */
describeOnRuntimes('what a runtime promises', ['2'], (testRuntime) => {
  let tested: PrivateRuntime;
  beforeAll(async () => {
    tested = await testRuntime.start();
  });
  cleanUpAfterAll({ 'the runtime': () => tested?.cleanup() });

  const connect = (): Fixture<CriSubject> => {
    const logDirectory = mkdtempSync(join(tmpdir(), 'nodeagent-compliance-'));
    const { runtime, image, close } = createCriClient({ endpoint: tested.endpoint });
    return {
      subject: {
        runtime,
        image,
        container: (kind) => ({ image: { image: testImage }, ...containers[kind] }),
        sandbox: { logDirectory },
        images: { present: testImage, absent: 'localhost/absent:1' },
        exec: {
          answers: [
            { cmd: ['true'], exitCode: 0, stdout: '' },
            { cmd: ['sh', '-c', 'echo hello; exit 5'], exitCode: 5, stdout: 'hello\n' },
          ],
          hangs: ['sleep', '60'],
        },
        streaming: {
          copies: ['cat'],
          echoes: { command: ['nc', '-ll', '-p', '4000', '-e', 'cat'], port: 4000, refused: 4001 },
        },
        sleep,
      },
      async cleanup() {
        for (const { id } of (await runtime.listPodSandbox({})).items) {
          await runtime.stopPodSandbox({ podSandboxId: id });
          await runtime.removePodSandbox({ podSandboxId: id });
        }
        close();
        rmSync(logDirectory, { recursive: true, force: true });
      },
    };
  };

  defineSuite({ describe, it }, criRuntimeSuite, connect);
});
