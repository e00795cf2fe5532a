import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ContainerKind, type CriSubject, criRuntimeSuite, defineSuite, type Fixture } from '@nodeagent/compliance';
import type { ContainerConfig } from '@nodeagent/cri-api';
import { createCriClient } from '@nodeagent/cri-client';
import { beforeAll, describe, it } from 'vitest';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { type PrivateContainerd, startContainerd, testImage } from '../support/containerd/containerd.js';
import { describeOnContainerd } from '../support/containerd/describe-on-containerd.js';

/** In the sandbox's PID namespace `sleep` exits at its stop signal; as process 1 of a separate namespace it would not receive unhandled signals. */
const containers: Record<ContainerKind, ContainerConfig> = {
  runs: { command: ['sleep', '1000'] },
  succeeds: { command: ['true'] },
  fails: { command: ['sh', '-c', 'exit 3'] },
  'ignores-stop': { command: ['sleep', '1000'], linux: { securityContext: { namespaceOptions: { pid: 'CONTAINER' } } } },
};

/** The suite of the project's runtimes, on the most common runtime: a failure here is a wrong promise. */
describeOnContainerd('what a runtime promises', ['2'], (binaries) => {
  let containerd: PrivateContainerd;
  beforeAll(async () => {
    containerd = await startContainerd(binaries);
  });
  cleanUpAfterAll({ containerd: () => containerd?.cleanup() });

  const connect = (): Fixture<CriSubject> => {
    const logDirectory = mkdtempSync(join(tmpdir(), 'nodeagent-compliance-'));
    const { runtime, image, close } = createCriClient({ endpoint: containerd.endpoint });
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
