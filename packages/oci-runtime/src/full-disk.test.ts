import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NodeAgentError } from '@nodeagent/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OciRuntime } from './oci-runtime.js';
import { startTestRegistry, testImage } from './test-image.js';
import { canRunContainers, createTestMachine, type TestMachine } from './test-machine.js';
import { createTestPods } from './test-pods.js';

const page = 4096;

describe.runIf(canRunContainers)('a full disk', () => {
  let machine: TestMachine;
  let oci: OciRuntime;
  let image: string;
  const pods = createTestPods(
    () => machine,
    () => oci,
  );
  const state = () => join(machine.folder, 'state');

  beforeEach(async () => {
    machine = createTestMachine();
    mkdirSync(state());
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16M', 'full-disk', state()]);
    oci = machine.create();
    await oci.start();
    const registry = await startTestRegistry();
    registry.add('app', testImage({ programs: ['catatonit'], config: { Cmd: ['/bin/catatonit', '-P'] } }));
    ({ imageRef: image } = await oci.image.pullImage({ image: { image: `${registry.host}/app:1` } }));
    await registry.close();
  });
  afterEach(async () => {
    for (const { id } of (await oci.runtime.listPodSandbox({})).items) await oci.runtime.removePodSandbox({ podSandboxId: id });
    await oci.stop();
    execFileSync('umount', [state()]);
    machine.remove();
  });

  /** Leaves so many pages. */
  function fill(pages: number): void {
    free();
    const { bavail } = statfsSync(state());
    writeFileSync(join(state(), 'ballast'), Buffer.alloc(Math.max(0, bavail - pages) * page));
  }
  const free = () => rmSync(join(state(), 'ballast'), { force: true });

  /** Everything that a sandbox or a container has. */
  function found(): Record<string, string[]> {
    const names = (path: string) => (existsSync(join(state(), path)) ? readdirSync(join(state(), path)) : []);
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    const processes = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandOf(pid).includes(`${state()}/`));
    return {
      ...{ sandboxes: names('sandboxes'), containers: names('containers'), exits: names('exits'), runtime: names('runtime') },
      ...{ layers: names('images/mounts'), processes },
      mounts: mounts.map((line) => line.split(' ')[4] ?? '').filter((path) => path.startsWith(`${state()}/`)),
    };
  }

  /** Does the work with more free pages each time, until it succeeds: in the meantime it fails in each of its steps. Resolves to the errors. */
  async function withEachSpace(work: () => Promise<void>, step = 1): Promise<Set<string>> {
    const before = found();
    const errors = new Set<string>();
    for (let pages = 0; ; pages += step) {
      fill(pages);
      const failure = await work().then(
        () => undefined,
        (error: NodeAgentError) => {
          expect(error).toMatchObject({ code: 'CRI_UNKNOWN' });
          return error.message;
        },
      );
      if (failure === undefined) return errors;
      free();
      errors.add(failure.replaceAll(/[0-9a-f]{64}/g, 'ID'));
      expect(found(), failure).toEqual(before);
    }
  }

  it('fails the creation of a container, which leaves nothing, and does not keep it from being stopped and removed', {
    timeout: 120_000,
  }, async () => {
    const sandbox = await pods.runSandbox();
    const before = found();
    let container = '';
    const errors = await withEachSpace(async () => {
      container = await pods.create(sandbox, '', { image: { image }, command: [] });
    });
    expect([...errors]).toEqual(
      expect.arrayContaining([
        'cannot create container "main": ENOSPC: no space left on device, write',
        expect.stringMatching(/^cannot mount the root file system of container "ID": ENOSPC: .*mount\.json/),
        expect.stringMatching(/conmon failed: .*No space left/),
        expect.stringMatching(/cannot create the container: .*No space left/),
      ]),
    );
    fill(0);
    await oci.runtime.startContainer({ containerId: container });
    expect((await pods.statusOf(container))?.state).toBe('CONTAINER_RUNNING');
    await oci.runtime.stopContainer({ containerId: container, timeout: 0n });
    expect((await pods.statusOf(container))?.state).toBe('CONTAINER_EXITED');
    await oci.runtime.removeContainer({ containerId: container });
    free();
    expect(found()).toEqual(before);
  });

  it('fails the creation of a sandbox, which leaves nothing', async () => {
    const errors = await withEachSpace(async () => {
      await pods.runSandbox({ pid: 'POD' });
    }, 4);
    expect([...errors]).toContain('cannot create sandbox default/web/u1/0: ENOSPC: no space left on device, write');
    fill(0);
    for (const { id } of (await oci.runtime.listPodSandbox({})).items) await oci.runtime.removePodSandbox({ podSandboxId: id });
    free();
    expect(found().sandboxes).toEqual([]);
  });
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
