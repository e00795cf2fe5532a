import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage, systemClock } from '@nodeagent/api';
import { hostImageId } from '@nodeagent/process-runtime/cri';
import { createRootFileSystems } from './containers/root-file-systems.js';
import type { OpenImageStore, RuntimeImageStore } from './images/image-store.js';
import { createPrograms, programFailed } from './programs.js';
import { readMachine } from './read-machine.js';
import { createOciProgram } from './runtime/oci-program.js';
import { containerSpec } from './spec/container-spec.js';
import { parseImageProcess } from './spec/image-process.js';
import { ociRuntimeVersion } from './spec/machine.js';
import { removeFolder } from './state/remove-folder.js';

/** What {@link probeOciProgram} has found. */
export interface OciProgramProbe {
  path: string;
  /** `crun 1.8.1`; the path if the program reports no version. */
  title: string;
  /** Why the program cannot run containers on this machine, in its own words. Absent if it can. */
  problem?: string;
}

const id = 'nodeagent-probe';
const timeoutMs = 10_000;

/**
 * Runs `true` of this machine in a container, with overlay mount, namespaces, cgroup and seccomp filter as the runtime does for the image
 * `host`: crun 1.8 refuses some machines, and some file systems have no overlay mounts. Takes about 0.1 s. Needs root. Never rejects.
 *
 * @param folder - Absolute path. It must not exist; it is removed at the end. On the file system of the runtime's root folder.
 * @param openImages - `openImageStore` of `@nodeagent/image-store`
 */
export async function probeOciProgram(path: string, folder: string, openImages: OpenImageStore): Promise<OciProgramProbe> {
  const run = createPrograms(folder);
  const oci = createOciProgram({ path, root: join(folder, 'runtime'), systemdCgroup: false, run });
  let title = path;
  let images: RuntimeImageStore | undefined;
  try {
    mkdirSync(oci.root, { recursive: true, mode: 0o700 });
    const output = await oci.version();
    const version = ociRuntimeVersion(output);
    if (version !== undefined) title = `${version.name} ${version.version.replace(/\+.*/, '')}`;
    images = await openImages({ root: join(folder, 'images'), clock: systemClock });
    const image = { id: hostImageId, reference: hostImageId, config: '{}' };
    const rootfs = await createRootFileSystems(images, '').mount(image, id);
    const spec = containerSpec({
      id,
      config: { command: ['true'], linux: { securityContext: { seccomp: { profileType: 'RuntimeDefault' } } } },
      sandbox: { linux: { cgroupParent: '/', securityContext: { namespaceOptions: { network: 'NODE', ipc: 'NODE', pid: 'CONTAINER' } } } },
      sandboxId: id,
      image: parseImageProcess(image.config),
      rootfs,
      users: { passwd: '', group: '' },
      namespaces: {},
      files: { shm: '/dev/shm' },
      machine: await readMachine(output),
    });
    writeFileSync(join(folder, 'config.json'), JSON.stringify(spec));
    const args = [`--root=${oci.root}`, 'run', '--bundle', folder, id];
    const result = await run(path, args, { timeoutMs });
    return { path, title, ...(result.exitCode !== 0 && { problem: problemOf(programFailed(path, ['run'], result)) }) };
  } catch (error) {
    return { path, title, problem: problemOf(error) };
  } finally {
    await oci.remove(id).catch(() => {});
    await images?.close();
    await removeFolder(folder, run).catch(() => {});
  }
}

/** The last line of an error; crun and runc write it with the time or the level in front. */
function problemOf(error: unknown): string {
  const line = errorMessage(error).trim().split('\n').at(-1) ?? '';
  return line.replace(/^.*?\bfailed: /, '').replace(/^(?:time="[^"]*" level=\w+ msg=|\S+Z: |error: )/, '');
}
