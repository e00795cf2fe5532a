import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ContainerConfig, NamespaceMode } from '@nodeagent/cri-api';
import { dialUpgrade, type OpenedCommand, openHeaders, openRemoteCommand, type RemoteCommandStreams } from '@nodeagent/streaming';
import type { OciRuntime } from './oci-runtime.js';
import { createTestMachine, type TestMachine } from './test-machine.js';

/** A runtime on a test machine, with functions that run pods and connect clients. */
export interface TestPods {
  machine: TestMachine;
  /** The runtime of now: another one after `restart`. */
  oci(): OciRuntime;
  runSandbox(name: string, network?: NamespaceMode): Promise<string>;
  /** Starts a container with a shell script. */
  start(podSandboxId: string, script: string, config?: ContainerConfig): Promise<string>;
  attach(containerId: string, requested?: Partial<RemoteCommandStreams>): Promise<OpenedCommand>;
  log(name?: string): string;
  /** Another runtime adopts the pods. */
  restart(): Promise<void>;
  remove(): Promise<void>;
}

const linux = { securityContext: { namespaceOptions: { pid: 'CONTAINER' } } } as const;

export async function startTestPods(): Promise<TestPods> {
  const machine = createTestMachine();
  let oci = machine.create();
  await oci.start();
  return {
    machine,
    oci: () => oci,
    async runSandbox(name, network = 'POD') {
      const metadata = { name, namespace: 'default', uid: name, attempt: 0 };
      const security = { securityContext: { namespaceOptions: { pid: 'CONTAINER', network } } } as const;
      const config = { metadata, linux: { ...security, cgroupParent: machine.cgroupParent }, logDirectory: join(machine.folder, 'logs') };
      return (await oci.runtime.runPodSandbox({ config })).podSandboxId;
    },
    async start(podSandboxId, script, more = {}) {
      const metadata = { name: 'main', attempt: 0 };
      const config = { metadata, image: { image: 'host' }, command: ['sh', '-c', script], logPath: 'main.log', linux, ...more };
      const { containerId } = await oci.runtime.createContainer({ podSandboxId, config });
      await oci.runtime.startContainer({ containerId });
      return containerId;
    },
    async attach(containerId, requested = {}) {
      const streams = { stdin: true, stdout: true, stderr: !requested.tty, tty: false, ...requested };
      const { url } = await oci.runtime.attach({ containerId, ...streams });
      const answered = await dialUpgrade({ target: new URL(url), method: 'POST', headers: openHeaders });
      if (answered.socket === undefined) throw new Error(await text(answered.answer));
      return openRemoteCommand(answered, streams);
    },
    log: (name = 'main.log') => readFileSync(join(machine.folder, 'logs', name), 'utf8'),
    async restart() {
      await oci.stop();
      oci = machine.create();
      await oci.start();
    },
    async remove() {
      const { items } = await oci.runtime.listPodSandbox({});
      for (const { id } of items) await oci.runtime.removePodSandbox({ podSandboxId: id });
      await oci.stop();
      machine.remove();
    },
  };
}
