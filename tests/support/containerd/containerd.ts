import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makePrivateFolder } from '../runtimes/private-folder.js';
import { type PrivateRuntime, type RuntimeOptions, testImage } from '../runtimes/private-runtime.js';
import { buildBusyboxImage } from './busybox-image.js';
import type { ContainerdBinaries } from './provide-containerd.js';

/** A private containerd with its own root, state, socket, network and images. */
export interface PrivateContainerd extends PrivateRuntime {
  /** Runs ctr in the CRI namespace and returns what it printed. */
  ctr(...args: string[]): string;
}

/** The sandboxes' own. */
const pauseImage = 'localhost/pause:1';

export async function startContainerd({ series, dir }: ContainerdBinaries, options: RuntimeOptions = {}): Promise<PrivateContainerd> {
  const { work, network, release } = await makePrivateFolder(options);
  const socket = join(work, 'containerd.sock');
  const config = join(work, 'config.toml');
  writeFileSync(config, series === '2' ? configVersion3(work, socket, network) : configVersion2(work, socket, network));
  const env = { ...process.env, PATH: `${dir}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin` };
  let daemon: ChildProcess | undefined;

  const ctr = (...args: string[]) => {
    const result = spawnSync(join(dir, 'ctr'), ['--address', socket, '--namespace', 'k8s.io', ...args], { encoding: 'utf8', env });
    if (result.status !== 0) throw new Error(`ctr ${args.join(' ')}: ${result.stderr}`);
    return result.stdout;
  };
  const containerd: PrivateContainerd = {
    name: `containerd ${series}`,
    endpoint: `unix://${socket}`,
    ctr,
    cdiFolder: cdiFolder(work),
    async addImage(name, ballastBytes) {
      const folder = mkdtempSync(join(work, 'image-'));
      ctr('image', 'import', buildBusyboxImage(folder, name, ['sh'], ballastBytes));
      rmSync(folder, { recursive: true });
    },
    async start() {
      const log = openSync(join(work, 'containerd.log'), 'a');
      const child = spawn(join(dir, 'containerd'), ['--config', config], { env, stdio: ['ignore', log, log] });
      daemon = child;
      for (let attempt = 0; attempt < 200; attempt++) {
        if (child.exitCode !== null) break;
        if (existsSync(socket) && spawnSync(join(dir, 'ctr'), ['--address', socket, 'version'], { env }).status === 0) return;
        await sleep(100);
      }
      throw new Error(`containerd ${series} did not start:\n${readFileSync(join(work, 'containerd.log'), 'utf8').slice(-4000)}`);
    },
    async stop() {
      const child = daemon;
      daemon = undefined;
      if (child === undefined || child.exitCode !== null) return;
      const exited = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await exited;
    },
    cleanup: release,
  };
  await containerd.start();
  ctr('image', 'import', buildBusyboxImage(mkdtempSync(join(work, 'image-')), testImage, ['sh']));
  ctr('image', 'import', buildBusyboxImage(mkdtempSync(join(work, 'image-')), pauseImage, ['sleep', 'infinity']));
  return containerd;
}

function configVersion2(work: string, socket: string, cni: string): string {
  return `version = 2
root = "${work}/root"
state = "${work}/state"
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  stream_server_port = "0"
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${cni}"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
`;
}

/** Where containerd 2 reads CDI specs. */
const cdiFolder = (work: string) => join(work, 'cdi');

function configVersion3(work: string, socket: string, cni: string): string {
  return `version = 3
root = "${work}/root"
state = "${work}/state"
[grpc]
  address = "${socket}"
[plugins.'io.containerd.cri.v1.images']
  snapshotter = "overlayfs"
  [plugins.'io.containerd.cri.v1.images'.pinned_images]
    sandbox = "${pauseImage}"
[plugins.'io.containerd.cri.v1.runtime']
  restrict_oom_score_adj = true
  cdi_spec_dirs = ["${cdiFolder(work)}"]
  netns_mounts_under_state_dir = true
  [plugins.'io.containerd.cri.v1.runtime'.cni]
    bin_dirs = ["/usr/lib/cni"]
    conf_dir = "${cni}"
  [plugins.'io.containerd.cri.v1.runtime'.containerd]
    [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
        SystemdCgroup = false
`;
}
