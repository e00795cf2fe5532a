import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { OciRuntime } from './oci-runtime.js';
import { canRunContainers, createTestMachine, installedRuntimes, type TestMachine } from './test-machine.js';
import { createTestPods } from './test-pods.js';

/** runc whose `checkpoint` writes what CRIU would: CRIU needs a kernel that it knows. */
const fakeCheckpoints = `#!/bin/bash
for arg; do [ "$arg" = checkpoint ] && is=1; [ "$last" = --image-path ] && images=$arg; [ "$last" = --work-path ] && work=$arg; last=$arg; done
[ -z "$is" ] && exec runc "$@"
[ -e "$0.fails" ] && { echo "criu failed: type NOTIFY" >&2; exit 1; }
echo image > "$images/pstree.img"; echo log > "$work/dump.log"
`;

describe.runIf(canRunContainers && installedRuntimes.includes('runc'))('a checkpoint of a container', () => {
  let machine: TestMachine;
  let oci: OciRuntime;
  let program: string;
  const { runSandbox, create, start, statusOf } = createTestPods(
    () => machine,
    () => oci,
  );
  beforeEach(async () => {
    machine = createTestMachine();
    program = join(machine.folder, 'runc-with-criu');
    writeFileSync(program, fakeCheckpoints, { mode: 0o755 });
    mkdirSync(join(machine.folder, 'bin'));
    writeFileSync(join(machine.folder, 'bin/criu'), '#!/bin/sh\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${join(machine.folder, 'bin')}:${process.env.PATH}`);
    oci = machine.create({ handlers: { criu: { path: program } } });
    await oci.start();
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    const { items } = await oci.runtime.listPodSandbox({});
    for (const { id } of items) await oci.runtime.removePodSandbox({ podSandboxId: id });
    await oci.stop();
    machine.remove();
  });

  it('is an archive for its owner only, and the container continues', async () => {
    const containerId = await start(await runSandbox(undefined, {}, 'criu'), 'sleep 1000');
    const location = join(machine.folder, 'checkpoint.tar');
    await oci.runtime.checkpointContainer({ containerId, location });
    const names = execFileSync('tar', ['-tf', location], { encoding: 'utf8' }).split('\n');
    expect(names).toEqual(expect.arrayContaining(['./checkpoint/pstree.img', './dump.log', './spec.dump', './config.dump']));
    expect(statSync(location).mode & 0o777).toBe(0o600);
    const description = JSON.parse(execFileSync('tar', ['-xOf', location, './config.dump'], { encoding: 'utf8' }));
    expect(description).toMatchObject({ id: containerId, name: 'main', runtime: program, rootfsImageName: 'host' });
    expect((await statusOf(containerId))?.state).toBe('CONTAINER_RUNNING');
    expect(readdirSync(join(machine.folder, 'state/containers', containerId)).filter((name) => name.startsWith('checkpoint'))).toEqual([]);
  });

  it('that fails leaves no archive', async () => {
    const containerId = await start(await runSandbox(undefined, {}, 'criu'), 'sleep 1000');
    writeFileSync(`${program}.fails`, '');
    const location = join(machine.folder, 'checkpoint.tar');
    await expect(oci.runtime.checkpointContainer({ containerId, location })).rejects.toThrow('criu failed: type NOTIFY');
    expect(existsSync(location)).toBe(false);
  });

  it('needs a running container, an absolute path, and an OCI runtime with CRIU', async () => {
    const sandbox = await runSandbox(undefined, {}, 'criu');
    const created = await create(sandbox, 'true');
    const { checkpointContainer } = oci.runtime;
    const location = join(machine.folder, 'checkpoint.tar');
    await expect(checkpointContainer({ containerId: created, location })).rejects.toThrow('is in CONTAINER_CREATED state');
    await oci.runtime.startContainer({ containerId: created });
    const containerId = await start(sandbox, 'sleep 1000', { metadata: { name: 'second', attempt: 0 } });
    await expect(checkpointContainer({ containerId, location: 'relative' })).rejects.toThrow('location: "relative"');
    await expect(checkpointContainer({ containerId, location: '/no/such/x.tar' })).rejects.toThrow('does not exist');
  });
});
