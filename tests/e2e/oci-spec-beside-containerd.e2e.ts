import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ContainerConfig, LinuxContainerSecurityContext, NamespaceOption, PodSandboxConfig } from '@nodeagent/cri-api';
import { createCriClient } from '@nodeagent/cri-client';
import { capabilityNames, containerSpec, type HostDevice, type OciSpec, parseImageProcess } from '@nodeagent/oci-runtime/decisions';
import { beforeAll, expect, it } from 'vitest';
import { cgroupRootOf } from '../support/agent/cgroup-roots.js';
import { cleanUpAfterAll } from '../support/cleanup.js';
import { type PrivateContainerd, startContainerd } from '../support/containerd/containerd.js';
import { describeOnContainerd } from '../support/containerd/describe-on-containerd.js';
import type { ContainerdBinaries } from '../support/containerd/provide-containerd.js';
import { effectOfSpec } from '../support/oci/effect-of-spec.js';
import { thisMachine } from '../support/oci/this-machine.js';
import { removeFolder } from '../support/remove-folder.js';
import { testImage } from '../support/runtimes/private-runtime.js';

const id = (value: number) => ({ value: BigInt(value) });
const seccomp = { profileType: 'RuntimeDefault' as const };
const masked = { maskedPaths: ['/proc/kcore', '/proc/keys'], readonlyPaths: ['/proc/sys'] };
const ownNamespaces: NamespaceOption = { network: 'POD', pid: 'CONTAINER', ipc: 'POD' };
const zero: HostDevice = { path: '/dev/zero', type: 'c', major: 1, minor: 5 };

const contexts: Record<string, LinuxContainerSecurityContext> = {
  default: { seccomp, ...masked },
  privileged: { privileged: true, ...masked },
  'read-only': { readonlyRootfs: true },
  'a user by number': { runAsUser: id(1000), runAsGroup: id(2000), supplementalGroups: [3000n, 5n] },
  'a user by name': { runAsUsername: 'nobody' },
  'added capabilities': { seccomp, capabilities: { addCapabilities: ['SYS_ADMIN', 'NET_ADMIN'], dropCapabilities: ['chown'] } },
  'no capabilities but one': { seccomp, noNewPrivs: true, capabilities: { addCapabilities: ['KILL'], dropCapabilities: ['ALL'] } },
  'all capabilities': { seccomp, capabilities: { addCapabilities: ['ALL'], dropCapabilities: ['CHOWN'] } },
};

/** containerd makes a specification of the same requests; what it does must be the same. */
for (const series of ['1.6', '2'] as const) describeOnContainerd('specifications', [series], compare);

function compare({ series, dir }: ContainerdBinaries): void {
  const machine = thisMachine('runc');
  let work: string;
  let containerd: PrivateContainerd;
  let cri: ReturnType<typeof createCriClient>;
  const pods = new Map<string, { sandbox: PodSandboxConfig; podSandboxId: string }>();

  beforeAll(async () => {
    work = mkdtempSync(join(tmpdir(), 'nodeagent-e2e-'));
    containerd = await startContainerd({ series, dir });
    cri = createCriClient({ endpoint: containerd.endpoint });
    const modes = { 'its own': ownNamespaces, "the node's": { network: 'NODE', pid: 'NODE', ipc: 'NODE' } as const };
    for (const [name, namespaceOptions] of Object.entries(modes)) {
      const sandbox: PodSandboxConfig = {
        metadata: { name: `uses-${namespaceOptions.pid}`.toLowerCase(), namespace: 'default', uid: 'u1', attempt: 0 },
        hostname: namespaceOptions.network === 'NODE' ? '' : 'web',
        linux: { cgroupParent: `/${cgroupRootOf('oci-spec')}`, securityContext: { privileged: true, namespaceOptions } },
      };
      const { podSandboxId } = await cri.runtime.runPodSandbox({ config: sandbox });
      pods.set(name, { sandbox, podSandboxId });
    }
  });
  cleanUpAfterAll({
    'the CRI client': () => cri?.close(),
    containerd: () => containerd?.cleanup(),
    'the folder': () => removeFolder(work),
  });

  /** What containerd and this package make of a request. */
  async function effects(
    namespaces: string,
    context: LinuxContainerSecurityContext,
    change: ContainerConfig = {},
  ): Promise<[object, object]> {
    const { sandbox, podSandboxId } = pods.get(namespaces) ?? {};
    if (machine === undefined || sandbox === undefined || podSandboxId === undefined) throw new Error('no runc, or no sandbox');
    const namespaceOptions = sandbox.linux?.securityContext?.namespaceOptions;
    const config: ContainerConfig = {
      metadata: { name: `c${Math.trunc(performance.now())}`, attempt: 0 },
      image: { image: testImage },
      command: ['sleep', '9'],
      envs: [{ key: 'A', value: new TextEncoder().encode('b') }],
      mounts: [
        { containerPath: '/data/inner', hostPath: work, readonly: true },
        { containerPath: '/data', hostPath: work },
      ],
      ...change,
      linux: {
        resources: {
          cpuShares: 512n,
          cpuQuota: 50_000n,
          cpuPeriod: 100_000n,
          memoryLimitInBytes: 64n << 20n,
          oomScoreAdj: 500n,
          cpusetCpus: '0',
        },
        securityContext: { ...context, namespaceOptions },
      },
    };
    const { containerId } = await cri.runtime.createContainer({ podSandboxId, config, sandboxConfig: sandbox });
    const { info } = await cri.runtime.containerStatus({ containerId, verbose: true });
    const theirs = JSON.parse(info.info ?? '{}').runtimeSpec as OciSpec;
    const mine = containerSpec({
      id: containerId,
      config,
      sandbox,
      sandboxId: podSandboxId,
      image: parseImageProcess('{"config": {"Env": ["PATH=/bin"], "Cmd": ["sh"]}}'),
      rootfs: '/rootfs',
      users: { passwd: 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n', group: 'root:x:0:\n' },
      namespaces: { network: '/n', uts: '/u', ipc: '/i', pid: '/p' },
      files: { shm: '/shm', hosts: '/hosts', hostname: '/hostname', resolvConf: '/resolv.conf' },
      machine: { ...machine, cgroups: { ...machine.cgroups, hasSwap: true } },
      foundDevices: { '/dev/zero': [zero] },
      // containerd lists those of this machine, which a test need not know.
      allDevices: theirs.linux.devices,
    });
    // containerd joins the namespaces of its pause process, which are here those of the node.
    const namespacesOf = namespaceOptions?.network === 'NODE' ? { namespaces: [] } : {};
    // The profile is that of version 2: 1.6 allows io_uring and vsocks, and lacks newer system calls.
    const profile = series === '1.6' ? { seccomp: undefined } : {};
    return [
      { ...effectOfSpec(mine), ...namespacesOf, ...profile },
      { ...effectOfSpec(theirs), ...namespacesOf, ...profile },
    ];
  }

  it.each(Object.entries(contexts).flatMap(([name, context]) => [...['its own', "the node's"].map((of) => [name, of, context] as const)]))(
    'do the same for %s in %s namespaces',
    async (_, namespaces, context) => {
      const [mine, theirs] = await effects(namespaces, context);
      expect(mine).toEqual(theirs);
    },
  );

  it('do the same for terminals, devices and working folders', async () => {
    const devices = [{ hostPath: '/dev/zero', containerPath: '/dev/mine', permissions: 'r' }];
    const [mine, theirs] = await effects('its own', {}, { tty: true, stdin: true, devices, workingDir: '/etc', command: [], args: ['sh'] });
    expect(mine).toEqual(theirs);
  });

  it('filter system calls alike for each capability', async () => {
    for (const capability of capabilityNames('1ffffffffff').filter((name) => machine?.capabilities.includes(name))) {
      const [mine, theirs] = await effects('its own', {
        seccomp,
        capabilities: { addCapabilities: [capability.slice('CAP_'.length)], dropCapabilities: ['ALL'] },
      });
      expect({ capability, ...mine }).toEqual({ capability, ...theirs });
    }
  });
}
