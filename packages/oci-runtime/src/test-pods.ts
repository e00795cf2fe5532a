import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@nodeagent/api';
import type { ContainerConfig, ContainerStatus, NamespaceOption, PodSandboxConfig } from '@nodeagent/cri-api';
import type { OciRuntime } from './oci-runtime.js';
import type { TestMachine } from './test-machine.js';

/** Pods with one container of the image `host`, which runs a shell script. */
export interface TestPods {
  runSandbox(namespaceOptions?: NamespaceOption, more?: PodSandboxConfig, runtimeHandler?: string): Promise<string>;
  create(podSandboxId: string, script: string, more?: ContainerConfig): Promise<string>;
  start(podSandboxId: string, script: string, more?: ContainerConfig): Promise<string>;
  statusOf(containerId: string): Promise<ContainerStatus | undefined>;
  /** Its status once it has exited; rejects if it runs longer than 10 s. */
  exited(containerId: string): Promise<ContainerStatus | undefined>;
  logOf(): string;
  /** The lines of the log without their timestamps. */
  logLines(): string[];
}

const maxExitMs = 10_000;
const ownProcesses: NamespaceOption = { pid: 'CONTAINER' };

/** @param oci - the runtime of the machine, which a test may restart */
export function createTestPods(machine: () => TestMachine, oci: () => OciRuntime): TestPods {
  const pods: TestPods = {
    async runSandbox(namespaceOptions = ownProcesses, more = {}, runtimeHandler = '') {
      const metadata = { name: 'web', namespace: 'default', uid: 'u1', attempt: 0 };
      const linux = { cgroupParent: machine().cgroupParent, ...more.linux, securityContext: { namespaceOptions } };
      const base = { metadata, hostname: 'web-1', logDirectory: join(machine().folder, 'logs'), dnsConfig: { servers: ['10.9.8.7'] } };
      const { podSandboxId } = await oci().runtime.runPodSandbox({ config: { ...base, ...more, linux }, runtimeHandler });
      return podSandboxId;
    },
    async create(podSandboxId, script, more = {}) {
      const metadata = { name: 'main', attempt: 0 };
      const linux = { securityContext: { namespaceOptions: ownProcesses }, ...more.linux };
      const config = { metadata, image: { image: 'host' }, command: ['sh', '-c', script], logPath: 'main/0.log', ...more, linux };
      return (await oci().runtime.createContainer({ podSandboxId, config })).containerId;
    },
    async start(podSandboxId, script, more) {
      const containerId = await pods.create(podSandboxId, script, more);
      await oci().runtime.startContainer({ containerId });
      return containerId;
    },
    statusOf: async (containerId) => (await oci().runtime.containerStatus({ containerId })).status,
    async exited(containerId) {
      const limit = systemClock.monotonic() + maxExitMs;
      for (;;) {
        const status = await pods.statusOf(containerId);
        if (status?.state === 'CONTAINER_EXITED') return status;
        if (systemClock.monotonic() >= limit) throw new Error(`container ${containerId} still runs after ${maxExitMs} ms`);
        await systemClock.sleep(50);
      }
    },
    logOf: () => readFileSync(join(machine().folder, 'logs/main/0.log'), 'utf8'),
    logLines() {
      const lines = pods.logOf().split('\n');
      return lines.filter((line) => line !== '').map((line) => line.split(' ').slice(1).join(' '));
    },
  };
  return pods;
}
