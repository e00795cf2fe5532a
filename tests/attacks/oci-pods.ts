import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { ContainerConfig, LinuxContainerSecurityContext, NamespaceOption, RuntimeService } from '@nodeagent/cri-api';
import { hiddenPaths } from '@nodeagent/oci-runtime/decisions';
import { expect } from 'vitest';
import { startTestRegistry, type TestImageOptions, testImage } from '../../packages/oci-runtime/src/test-image.js';
import { createTestMachine } from '../../packages/oci-runtime/src/test-machine.js';

/** A container whose script attacks. */
export interface Attack extends ContainerConfig {
  script: string;
  context?: LinuxContainerSecurityContext;
  namespaces?: NamespaceOption;
}

/** A started runtime with a folder of the host that has a secret, and is a separate mount, so that the image `host` has it empty. */
export interface OciPods {
  runtime: RuntimeService;
  /** Adds an image to the runtime, and resolves to its name. */
  addImage(options: TestImageOptions): Promise<string>;
  folder: string;
  /** The folder of the secret, in which containers must neither read nor write. */
  secret: string;
  /** The copy of the OCI runtime's program that containers are created by. */
  program: string;
  runSandbox(namespaces?: NamespaceOption, config?: object): Promise<string>;
  create(attack: Attack, sandbox?: string): Promise<string>;
  start(attack: Attack, sandbox?: string): Promise<string>;
  /** The output and error of the script to its end. */
  outputOf(attack: Attack, sandbox?: string): Promise<string>;
  /** The root folder of a container's first process. */
  /** Whether the OCI runtime has accepted it. */
  hasProcess(containerId: string): boolean;
  rootOf(containerId: string): string;
  exec(containerId: string, ...cmd: string[]): Promise<string>;
  close(): Promise<void>;
}

const separate: NamespaceOption = { pid: 'CONTAINER' };

/** @param ociRuntime - `crun` or `runc` */
export async function startOciPods(ociRuntime = 'crun'): Promise<OciPods> {
  const machine = createTestMachine(ociRuntime);
  const { folder, cgroupParent } = machine;
  const secret = join(folder, 'secret');
  const programs = join(folder, 'bin');
  for (const path of [secret, programs]) mkdirSync(path);
  execFileSync('mount', ['-t', 'tmpfs', 'secret', secret]);
  writeFileSync(join(secret, 'file'), 'secret of the host\n');
  // What an attack overwrites is not the machine's.
  const program = join(programs, ociRuntime);
  copyFileSync(execFileSync('which', [ociRuntime], { encoding: 'utf8' }).trim(), program);
  const path = process.env.PATH ?? '';
  process.env.PATH = `${programs}${delimiter}${path}`;
  const { runtime, image, start, stop } = machine.create();
  await start();
  const registry = await startTestRegistry();
  let count = 0;

  const pods: OciPods = {
    ...{ runtime, folder, secret, program },
    async addImage(options) {
      const name = `image-${count++}`;
      registry.add(name, testImage(options));
      return (await image.pullImage({ image: { image: `${registry.host}/${name}:1` } })).imageRef;
    },
    async runSandbox(namespaceOptions = separate, config = {}) {
      const metadata = { name: `pod-${count++}`, namespace: 'default', uid: 'u', attempt: 0 };
      const linux = { cgroupParent, securityContext: { namespaceOptions } };
      const request = { metadata, hostname: 'pod', logDirectory: join(folder, 'logs'), linux, ...config };
      return (await runtime.runPodSandbox({ config: request })).podSandboxId;
    },
    async create({ script, context, namespaces = separate, ...more }, sandbox) {
      const podSandboxId = sandbox ?? (await pods.runSandbox(namespaces));
      const name = `c${count++}`;
      const linux = { ...more.linux, securityContext: { namespaceOptions: namespaces, ...hiddenPaths(undefined), ...context } };
      const base = { metadata: { name, attempt: 0 }, image: { image: 'host' }, command: ['sh', '-c', script], logPath: `${name}.log` };
      const { containerId } = await runtime.createContainer({ podSandboxId, config: { ...base, ...more, linux } });
      return containerId;
    },
    async start(attack, sandbox) {
      const containerId = await pods.create(attack, sandbox);
      await runtime.startContainer({ containerId });
      return containerId;
    },
    async outputOf(attack, sandbox) {
      const containerId = await pods.start(attack, sandbox);
      const status = async () => (await runtime.containerStatus({ containerId })).status;
      await expect.poll(async () => (await status())?.state, { timeout: 20_000 }).toBe('CONTAINER_EXITED');
      const log = readFileSync((await status())?.logPath ?? '', 'utf8');
      return log.replaceAll(/^\S+ std(out|err) ([FP]) (.*)\n/gm, (_line, _stream, kind, text) => (kind === 'F' ? `${text}\n` : text));
    },
    hasProcess: (containerId) => existsSync(join(folder, 'state/containers', containerId, 'pidfile')),
    rootOf: (containerId) => `/proc/${readFileSync(join(folder, 'state/containers', containerId, 'pidfile'), 'utf8')}/root`,
    async exec(containerId, ...cmd) {
      const { stdout, stderr } = await runtime.execSync({ containerId, cmd, timeout: 20n });
      return Buffer.concat([stdout, stderr]).toString();
    },
    async close() {
      const { items } = await runtime.listPodSandbox({});
      for (const { id } of items) await runtime.removePodSandbox({ podSandboxId: id });
      await stop();
      await registry.close();
      process.env.PATH = path;
      execFileSync('umount', [secret]);
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(folder);
      machine.remove();
    },
  };
  return pods;
}
