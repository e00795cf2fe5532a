import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OciRuntime } from '../oci-runtime.js';
import { canRunContainers, createTestMachine, type TestMachine } from '../test-machine.js';
import { createTestPods } from '../test-pods.js';

describe.runIf(canRunContainers)('a command with a time limit', () => {
  let machine: TestMachine;
  let oci: OciRuntime;
  let containerId: string;
  const pods = createTestPods(
    () => machine,
    () => oci,
  );
  beforeAll(async () => {
    machine = createTestMachine();
    // As on an overloaded machine: the command starts after its time.
    const slow = join(machine.folder, 'slow');
    const line = `case "$*" in *--process*) sleep 1.5;; esac; exec ${machine.options.runtime} "$@"`;
    writeFileSync(slow, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
    oci = machine.create({ runtime: slow });
    await oci.start();
    containerId = await pods.start(await pods.runSandbox(), 'sleep 1000');
  });
  afterAll(async () => {
    for (const { id } of (await oci.runtime.listPodSandbox({})).items) await oci.runtime.removePodSandbox({ podSandboxId: id });
    await oci.stop();
    machine.remove();
  });

  it('leaves no process, although it starts only after its time', async () => {
    const sleeps = oci.runtime.execSync({ containerId, cmd: ['sleep', '4321'], timeout: 1n });
    await expect(sleeps).rejects.toMatchObject({ code: 'CRI_DEADLINE_EXCEEDED' });
    const { stdout } = await oci.runtime.execSync({ containerId, cmd: ['sh', '-c', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "'] });
    expect(Buffer.from(stdout).toString()).not.toContain('sleep 4321');
  });
});
