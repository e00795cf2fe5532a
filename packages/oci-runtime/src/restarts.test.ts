import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { canRunContainers, createTestMachine } from './test-machine.js';
import { createTestPods } from './test-pods.js';

const restarts = Number(process.env.NODEAGENT_OCI_RESTARTS ?? 6);
/** Before the first count: what is loaded and opened once. */
const warmUp = Math.min(50, Math.ceil(restarts / 3));
/** Of the heap, which varies by some 100 KiB, and grows by compiled code of some 500 KiB in 1,000 restarts; a leak of one record a restart has 2 KiB. */
const maxHeapGrowthPerRestart = restarts < 400 ? Number.POSITIVE_INFINITY : 1_024;

it.runIf(canRunContainers)(
  `${restarts} restarts of a container leave no more than one`,
  { timeout: 60_000 + restarts * 5_000 },
  async () => {
    const machine = createTestMachine();
    const oci = machine.create();
    const { runSandbox, start, statusOf } = createTestPods(
      () => machine,
      () => oci,
    );
    await oci.start();
    const { runtime, stop } = oci;
    const sandbox = await runSandbox();
    let containerId: string | undefined;
    const restart = async (attempt: number) => {
      const next = await start(sandbox, 'exit 1', { metadata: { name: 'main', attempt }, logPath: 'main/0.log' });
      // Not by expect.poll(), which keeps each poll until the test ends.
      for (let state = ''; state !== 'CONTAINER_EXITED'; await sleep(20)) state = (await statusOf(next))?.state ?? '';
      const exitCode = (await statusOf(next))?.exitCode;
      if (exitCode !== 1) throw new Error(`attempt ${attempt} has exited with ${exitCode}`);
      if (containerId !== undefined) await runtime.removeContainer({ containerId });
      containerId = next;
    };
    for (let attempt = 0; attempt < warmUp; attempt++) await restart(attempt);
    const before = usage(machine.folder);
    const began = performance.now();
    for (let attempt = warmUp; attempt < restarts; attempt++) await restart(attempt);
    const perRestart = (performance.now() - began) / (restarts - warmUp);
    const after = usage(machine.folder);
    const heapGrowth = (after.heap - before.heap) / (restarts - warmUp);
    console.log(
      `${restarts} restarts: ${perRestart.toFixed(0)} ms each; after ${warmUp}: ${JSON.stringify(before)}; then: ${JSON.stringify(after)}`,
    );
    expect(withoutMemory(after)).toEqual(withoutMemory(before));
    expect(heapGrowth).toBeLessThan(maxHeapGrowthPerRestart);

    await runtime.removePodSandbox({ podSandboxId: sandbox });
    await stop();
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(machine.folder);
    machine.remove();
  },
);

const withoutMemory = ({ heap: _heap, rss: _rss, ...rest }: ReturnType<typeof usage>) => rest;

/** What this process and the machine have. */
function usage(folder: string) {
  const stats = readdirSync('/proc').flatMap((pid) => (/^\d+$/.test(pid) ? statOf(pid) : []));
  return {
    heap: collectedHeap(),
    rss: process.memoryUsage.rss(),
    descriptors: readdirSync('/proc/self/fd').length,
    children: stats.filter(({ parent }) => parent === process.pid).length,
    mounts: readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .filter((line) => line.includes(`${folder}/`)).length,
    files: folders.flatMap((name) => filesIn(join(folder, 'state', name))).length,
    cgroups: readdirSync('/sys/fs/cgroup').flatMap((name) => cgroupsIn(join('/sys/fs/cgroup', name), folder)).length,
  };
}

const folders = ['sandboxes', 'containers', 'runtime', 'exits', 'images/mounts'];

/** Below each sandbox and container, but not in what is mounted there. */
const filesIn = (folder: string) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? readdirSync(join(folder, each.name)) : each.name));

function statOf(pid: string): { parent: number }[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return [{ parent: Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]) }];
  } catch {
    return [];
  }
}

function cgroupsIn(hierarchy: string, folder: string): string[] {
  try {
    return readdirSync(join(hierarchy, folder.replace('/tmp', '')), { withFileTypes: true }).flatMap((each) =>
      each.isDirectory() ? each.name : [],
    );
  } catch {
    return [];
  }
}

function collectedHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 3; round++) collect();
  return process.memoryUsage().heapUsed;
}
