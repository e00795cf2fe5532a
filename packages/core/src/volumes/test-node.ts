import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Mounter } from '@nodeagent/api';
import type { CallCsiNode } from '@nodeagent/csi';
import { createFakeMounter, type FakeMounter } from '@nodeagent/mount-utils';
import { statusError } from '@nodeagent/plugin-api';
import type { AgentSteps } from './test-crashing-files.js';

/** The node that consecutive agents run on: its folder, mounts, loop devices, and a CSI driver that mounts. */
export interface TestNode {
  root: string;
  mounter: FakeMounter;
  loops: Map<string, string>;
  /** The requests to the driver. */
  requests: string[];
  driver: { stages: boolean };
}

/** In memory if the machine has such a folder: thousands of agents write thousands of files. */
const folderOfNodes = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

export function createTestNode(): TestNode {
  const root = mkdtempSync(join(folderOfNodes, 'volumes-restart-'));
  const loops = new Map<string, string>();
  const device = { major: 8, minor: 1, root: '/', fsType: 'ext4', source: '/dev/sda1' };
  const mounter = createFakeMounter({
    mounts: [{ id: 1, parentId: 0, ...device, mountPoint: '/', options: [], optionalFields: [], superOptions: [] }],
  });
  let nextLoop = 0;
  mounter.answer = (command, [option = '', subject = '']) => {
    const printed = (stdout: string) => ({ exitCode: 0, stdout, stderr: '' });
    if (command === 'blkid') return printed('TYPE=ext4');
    if (command !== 'losetup') return printed('');
    if (option === '-j') return printed(loops.has(subject) ? `${loops.get(subject)}: []` : '');
    if (option === '-f') loops.set(subject, `/dev/loop${nextLoop++}`);
    else for (const [file, loop] of loops) if (loop === subject) loops.delete(file);
    return printed('');
  };
  return { root, mounter, loops, requests: [], driver: { stages: true } };
}

/** The mounter of one agent; unmounting a tmpfs removes its content. */
export function mounterOf({ mounter }: TestNode, steps: AgentSteps): Mounter {
  return {
    ...mounter,
    mount: (...args) => steps.run({ run: () => mounter.mount(...args), failure: new Error('mount failed: wrong fs type') }),
    unmount: (target) =>
      steps.run({
        failure: new Error('umount failed: target is busy'),
        async run() {
          const mount = (await mounter.list()).findLast(({ mountPoint }) => mountPoint === target);
          await mounter.unmount(target);
          if (mount?.fsType === 'tmpfs') for (const name of readdirSync(target)) rmSync(join(target, name), { recursive: true });
        },
      }),
    run: (command, args) =>
      args[0] === '-j'
        ? mounter.run(command, args)
        : steps.run({ run: () => mounter.run(command, args), failure: new Error(`${command} cannot be run`) }),
  };
}

/** The driver, as strict as the CSI specification: it stages before it publishes, and never unstages what is published. */
export function driverOf(node: TestNode, steps: AgentSteps): CallCsiNode {
  const { mounter, requests, driver } = node;
  const isMounted = async (path: string) => (await mounter.list()).some(({ mountPoint }) => mountPoint === path);
  const make = (path: string, isBlock: boolean) => {
    mkdirSync(isBlock ? dirname(path) : path, { recursive: true });
    if (isBlock) writeFileSync(path, '');
  };

  async function mount(path: string, source: string, isBlock: boolean, options: string[]): Promise<void> {
    if (await isMounted(path)) return;
    make(path, isBlock);
    await mounter.mount({ source, target: path, fsType: 'csi', options });
  }

  async function call(method: string, request: Record<string, unknown>) {
    const { volumeId = '', stagingTargetPath = '', targetPath = '' } = request as Record<string, string>;
    const isBlock = (request.volumeCapability as { block?: object } | undefined)?.block !== undefined;
    requests.push(`${method} ${volumeId}`);
    switch (method) {
      case 'nodeStageVolume':
        // A raw device has no file system to mount: a file marks it as staged.
        if (isBlock) writeFileSync(join(stagingTargetPath, 'staged'), '');
        else await mount(stagingTargetPath, volumeId, false, []);
        return;
      case 'nodeUnstageVolume': {
        if ((await mounter.list()).some(({ source }) => source === stagingTargetPath))
          throw statusError('FailedPrecondition', 'the volume is still published');
        rmSync(join(stagingTargetPath, 'staged'), { force: true });
        await mounter.unmount(stagingTargetPath);
        return;
      }
      case 'nodePublishVolume': {
        const isStaged = isBlock ? existsSync(join(stagingTargetPath, 'staged')) : await isMounted(stagingTargetPath);
        if (driver.stages && stagingTargetPath !== '' && !isStaged) throw statusError('FailedPrecondition', 'the volume is not staged');
        await (isStaged && !isBlock ? mount(targetPath, stagingTargetPath, false, ['bind']) : mount(targetPath, volumeId, isBlock, []));
        return;
      }
      case 'nodeUnpublishVolume':
        await mounter.unmount(targetPath);
        if (existsSync(targetPath)) (statSync(targetPath).isDirectory() ? rmdirSync : rmSync)(targetPath);
        return;
      default:
        throw statusError('Unimplemented', method);
    }
  }

  return async (_driver, method, request) => {
    const capabilities = driver.stages ? [{ rpc: { type: 'STAGE_UNSTAGE_VOLUME' } }] : [];
    if (method === 'nodeGetCapabilities') return { capabilities } as never;
    if (method === 'nodeGetInfo') return { nodeId: 'n', maxVolumesPerNode: 0n } as never;
    const run = () => call(method, request as never);
    // Either the call does nothing, or its response is lost.
    const isLost = steps.count % 2 === 0;
    const failure = isLost ? statusError('DeadlineExceeded', 'no response') : statusError('Internal', 'the driver failed');
    await steps.run({ run, failure, ...(isLost && { half: run }) });
    return {} as never;
  };
}

/** Folders that stay after the removal of their content. */
const skeleton =
  /^pods(\/[^/]+){0,2}$|^pods\/[^/]+\/(volumes|volumeDevices|plugins)\/[^/]+$|^plugins(\/kubernetes\.io(\/(csi(\/[^/]+)?|local-volume(\/mounts)?|iscsi))?)?$|^plugins\/kubernetes\.io\/csi\/volumeDevices\/(staging|publish)$/;

/** The state of the node, in a comparable form: files, folders of volumes, mounts, loop devices. */
export async function stateOf({ root, mounter, loops }: TestNode): Promise<string[]> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name).slice(root.length + 1) }))
    .filter(({ entry, path }) => !entry.isDirectory() || !skeleton.test(path))
    .map(({ path }) => path.replace(/\.\.\d{4}(_\d\d){5}\.\w+/, '..time'));
  const [, ...mounted] = await mounter.list();
  const mounts = mounted.map(({ mountPoint, source }) => `mount ${source.replace(/\d+\/fd\/\d+/, 'fd')} on ${mountPoint}`);
  return [...files, ...mounts, ...[...loops.keys()].map((file) => `loop device of ${file}`)]
    .map((line) => line.replaceAll(root, ''))
    .sort();
}
