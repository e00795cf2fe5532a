import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import { createNodeCni } from '@nodeagent/cni/node';
import { openImageStore } from '@nodeagent/image-store';
import { createOciRuntime, type OciRuntime, type OciRuntimeOptions } from './oci-runtime.js';

/** Whether this machine can run containers: root, and the programs. */
export const canRunContainers = process.getuid?.() === 0 && ['crun', 'conmon', 'catatonit', 'unshare'].every(hasProgram);

/** Whether clients of this machine can attach to containers and reach their ports. */
export const canRunStreams = canRunContainers && hasProgram('socat');

/** The OCI runtimes of this machine. */
export const installedRuntimes = ['crun', 'runc'].filter(hasProgram);

/** Those that suites run on: the first, or with NODEAGENT_E2E_OCI=all each of them. */
export const testRuntimes = process.env.NODEAGENT_E2E_OCI === 'all' ? installedRuntimes : installedRuntimes.slice(0, 1);

/** A folder for a runtime, with a separate network that needs no plugins of the machine. */
export interface TestMachine {
  folder: string;
  options: OciRuntimeOptions;
  create(more?: Partial<OciRuntimeOptions>): OciRuntime;
  /** The cgroup of its pods. */
  cgroupParent: string;
  /** Removes the folder and the cgroup, which must be empty. */
  remove(): void;
}

export function createTestMachine(runtime = 'crun'): TestMachine {
  const folder = mkdtempSync('/tmp/oci-runtime-');
  // Root in a user namespace must reach its files below.
  chmodSync(folder, 0o711);
  mkdirSync(join(folder, 'net.d'));
  writeFileSync(join(folder, 'net.d/10-test.conf'), '{ "cniVersion": "1.0.0", "name": "test", "type": "fixed" }');
  const answer = '{ "cniVersion": "1.0.0", "ips": [{ "address": "10.1.0.5/16" }] }';
  writeFileSync(join(folder, 'fixed'), `#!/bin/sh\necho '${answer}'\n`, { mode: 0o755 });
  return openTestMachine(folder, runtime);
}

/** @param folder - that of a test machine in another process */
export function openTestMachine(folder: string, runtime = 'crun'): TestMachine {
  const cgroups = '/sys/fs/cgroup';
  const cgroupParent = `/${basename(folder)}`;
  const options = () => ({
    root: join(folder, 'state'),
    runtime: runtime === 'crun' ? usableCrun(folder) : runtime,
    clock: systemClock,
    images: openImageStore,
    cni: createNodeCni({ configDir: join(folder, 'net.d'), pluginDirs: [folder], cacheDir: join(folder, 'cache') }),
  });
  return {
    folder,
    options: options(),
    create: (more) => createOciRuntime({ ...options(), ...more }),
    cgroupParent,
    remove() {
      rmSync(folder, { recursive: true, force: true });
      for (const hierarchy of [cgroups, ...readdirSync(cgroups).map((name) => join(cgroups, name))]) {
        if (existsSync(join(hierarchy, cgroupParent))) rmdirSync(join(hierarchy, cgroupParent));
      }
    },
  };
}

/**
 * crun 1.8 refuses a machine with controllers both of cgroup v1 and v2. It gets a mount namespace without the hierarchy of v2.
 */
function usableCrun(folder: string): string {
  const unified = '/sys/fs/cgroup/unified';
  if (!existsSync(unified)) return 'crun';
  const path = join(folder, 'crun');
  const line = `umount ${unified}; exec crun "$@"`;
  writeFileSync(path, `#!/bin/sh\nexec unshare --mount --propagation unchanged sh -c '${line}' crun "$@"\n`, { mode: 0o755 });
  return path;
}

function hasProgram(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
