import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NamespaceOption } from '@nodeagent/cri-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProcess } from './state/process-ref.js';
import { canRunContainers, installedRuntimes } from './test-machine.js';
import { useMachinePods } from './test-machine-pods.js';

const shared: NamespaceOption = { pid: 'POD' };
const inShared = { linux: { securityContext: { namespaceOptions: shared } } };
const programIn = (folder: string) => join(folder, 'other-runc');
const trap = 'trap "exit 7" TERM; echo ready; while :; do sleep 0.1; done';

function writeProgram(folder: string, script: string): string {
  writeFileSync(programIn(folder), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return programIn(folder);
}

describe.runIf(canRunContainers && installedRuntimes.includes('runc'))('a pod whose runtime handler was removed from the options', () => {
  const pods = useMachinePods({ beforeEach, afterEach }, ({ folder }) => ({
    handlers: { other: { path: writeProgram(folder, 'exec runc "$@"') } },
  }));
  const { runSandbox, create, start, exited, statusOf, logLines } = pods;
  const pidOf = (container: string) => Number(readFileSync(join(pods.machine.folder, 'state/containers', container, 'pidfile'), 'utf8'));
  /** The agent was killed before it knew whether the OCI runtime started the container. */
  const setStarting = (container: string) => {
    const path = join(pods.machine.folder, 'state/containers', container, 'record.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/"step":"\w+"/, '"step":"starting"'));
  };

  it.each([
    ['is there', () => {}],
    ['was removed', (folder: string) => rmSync(programIn(folder))],
    ['fails', (folder: string) => writeProgram(folder, '[ "$1" = --version ] && exec runc --version; exit 1')],
  ])('is stopped and removed if its program %s', async (_, change) => {
    const sandbox = await runSandbox(shared, {}, 'other');
    const stopped = await start(sandbox, trap, inShared);
    const names = ['killed', 'created', 'started'] as const;
    const [killed, created, started] = await Promise.all(
      names.map((name) =>
        (name === 'created' ? create : start)(sandbox, 'sleep 1000', { ...inShared, metadata: { name, attempt: 0 }, logPath: '' }),
      ),
    );
    await expect.poll(logLines).toEqual(['stdout F ready']);
    await pods.oci.stop();
    setStarting(started as string);
    change(pods.machine.folder);
    await pods.restart({});
    const pids = [stopped, killed, created, started].map((id) => pidOf(id as string));
    expect((await statusOf(started as string))?.state).toBe('CONTAINER_RUNNING');
    expect((await pods.oci.runtime.status({})).runtimeHandlers?.map(({ name }) => name)).toEqual(['']);
    const refusal = 'no runtime for "other" is configured';
    await expect(create(sandbox, 'true', { metadata: { name: 'new', attempt: 0 } })).rejects.toThrow(refusal);

    await pods.oci.runtime.stopContainer({ containerId: stopped, timeout: 10n });
    expect(await exited(stopped)).toMatchObject({ exitCode: 7 });
    await pods.oci.runtime.stopPodSandbox({ podSandboxId: sandbox });
    expect(await exited(killed as string)).toMatchObject({ exitCode: 137 });
    await pods.oci.runtime.removePodSandbox({ podSandboxId: sandbox });
    expect(pids.filter((pid) => findProcess(pid) !== undefined)).toEqual([]);
  });

  it('runs commands and starts containers by the program in its record', async () => {
    const sandbox = await runSandbox(undefined, {}, 'other');
    const created = await create(sandbox, 'sleep 1000');
    await pods.restart({});
    await pods.oci.runtime.startContainer({ containerId: created });
    const { stdout } = await pods.oci.runtime.execSync({ containerId: created, cmd: ['echo', 'hello'] });
    expect(Buffer.from(stdout).toString()).toBe('hello\n');
  });

  it('has a container whose start names the program that was removed', async () => {
    const created = await create(await runSandbox(undefined, {}, 'other'), 'sleep 1000');
    await pods.oci.stop();
    rmSync(programIn(pods.machine.folder));
    await pods.restart({});
    await expect(pods.oci.runtime.startContainer({ containerId: created })).rejects.toMatchObject({
      message: expect.stringContaining(`the program of its pods cannot be run: ${programIn(pods.machine.folder)}`),
      hint: 'Remove the pod, or configure the handler again.',
    });
    expect(await statusOf(created)).toMatchObject({ state: 'CONTAINER_EXITED', reason: 'StartError' });
  });
});
