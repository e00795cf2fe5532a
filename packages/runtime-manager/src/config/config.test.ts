import type { Pod } from '@nodeagent/api';
import { findContainer } from '@nodeagent/api/helpers';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { type ContainerConfigInputs, generateContainerConfig } from './container-config.js';
import { generateSandboxConfig, type SandboxConfigInputs } from './sandbox-config.js';

const resources = {
  cgroupVersion: 1,
  memoryBytes: 8n << 30n,
  hugePageSizes: ['2MB', '1GB'],
  swap: { behavior: 'NoSwap', bytes: 0n },
} as const;
const shared = { resources, extraGroups: [77], userNamespace: { mode: 'NODE' } } as const;
const sandboxInputs: SandboxConfigInputs = {
  ...shared,
  attempt: 2,
  podLogsDir: '/var/log/pods',
  dns: { servers: ['10.0.0.10'], searches: [], options: [] },
  clusterDomain: 'cluster.local',
  cgroupParent: '/kubepods/burstable/podu',
};
const containerInputs: ContainerConfigInputs = {
  ...shared,
  imageRef: 'sha256:1',
  imageUser: { uid: 0n },
  restartCount: 3,
  environment: [{ name: 'A', value: 'one' }],
  mounts: [],
  seccompDir: '/seccomp',
  seccompDefault: false,
};
const build = (spec: object, container: object = {}, metadata: object = {}): Pod =>
  buildPod({ name: 'p', uid: 'u', ...spec, ...metadata, containers: [{ name: 'c', image: 'busybox:1', ...container }] });
const config = (pod: Pod, inputs: Partial<ContainerConfigInputs> = {}) =>
  generateContainerConfig(pod, findContainer(pod, 'c') ?? { name: 'c' }, { ...containerInputs, ...inputs });
const security = (pod: Pod, inputs: Partial<ContainerConfigInputs> = {}) => config(pod, inputs).linux?.securityContext;

describe('the sandbox', () => {
  it("has the pod's labels, ports, sums of resources and security", () => {
    const pod = build(
      {
        labels: { app: 'web' },
        annotations: { note: 'x' },
        securityContext: { runAsUser: 1000, fsGroup: 2000, supplementalGroups: [5], sysctls: [{ name: 'net/core/somaxconn', value: '9' }] },
        overhead: { cpu: '250m', memory: '10Mi' },
      },
      {
        ports: [{ name: 'web', containerPort: 8080, hostPort: 80, protocol: 'UDP' }],
        resources: { requests: { cpu: '150m', memory: '32Mi' }, limits: { cpu: '250m', memory: '64Mi' } },
        securityContext: { privileged: true },
      },
    );
    expect(generateSandboxConfig(pod, sandboxInputs)).toEqual({
      metadata: { name: 'p', namespace: 'default', uid: 'u', attempt: 2 },
      hostname: 'p',
      logDirectory: '/var/log/pods/default_p_u',
      dnsConfig: sandboxInputs.dns,
      portMappings: [{ protocol: 'UDP', containerPort: 8080, hostPort: 80, hostIp: '' }],
      labels: { app: 'web', 'io.kubernetes.pod.name': 'p', 'io.kubernetes.pod.namespace': 'default', 'io.kubernetes.pod.uid': 'u' },
      annotations: { note: 'x' },
      linux: {
        cgroupParent: '/kubepods/burstable/podu',
        sysctls: { 'net.core.somaxconn': '9' },
        overhead: { cpuPeriod: 100_000n, cpuQuota: 25_000n, cpuShares: 256n, memoryLimitInBytes: 10_485_760n },
        resources: { cpuPeriod: 100_000n, cpuQuota: 25_000n, cpuShares: 153n, memoryLimitInBytes: 67_108_864n },
        securityContext: {
          privileged: true,
          seccomp: { profileType: 'RuntimeDefault' },
          namespaceOptions: { network: 'POD', pid: 'CONTAINER', ipc: 'POD', usernsOptions: { mode: 'NODE' } },
          runAsUser: { value: 1000n },
          supplementalGroups: [2000n, 77n, 5n],
        },
      },
    });
  });

  it("of a pod on the host's network has no hostname", () => {
    const host = generateSandboxConfig(build({ hostNetwork: true, hostPID: true, hostIPC: true }), sandboxInputs);
    expect(host).not.toHaveProperty('hostname');
    expect(host.linux?.securityContext?.namespaceOptions).toMatchObject({ network: 'NODE', pid: 'NODE', ipc: 'NODE' });
  });

  it.each([
    [{ hostname: 'h' }, 'h'],
    [{ hostname: 'h', subdomain: 'db' }, 'h'],
    [{ hostname: 'h', subdomain: 'db', setHostnameAsFQDN: true }, 'h.db.default.svc.cluster.local'],
    [{ hostname: 'h', hostnameOverride: 'node.example' }, 'node.example'],
    [{ name: `${'x'.repeat(62)}-y` }, 'x'.repeat(62)],
  ])('of %j has the hostname %s', (spec, hostname) => {
    expect(generateSandboxConfig(build(spec), sandboxInputs).hostname).toBe(hostname);
  });

  it('rejects a fully qualified hostname that is too long for the kernel', () => {
    const pod = build({ hostname: 'h'.repeat(40), subdomain: 'db', setHostnameAsFQDN: true });
    expect(() => generateSandboxConfig(pod, sandboxInputs)).toThrow('is too long (64 characters is the max, 69 characters requested)');
  });

  it('has the pod-level resources if the pod has them', () => {
    const pod = build(
      { resources: { requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Gi' } } },
      { resources: { requests: { cpu: '100m' } } },
    );
    expect(generateSandboxConfig(pod, sandboxInputs).linux?.resources).toMatchObject({
      cpuShares: 1024n,
      cpuQuota: 200_000n,
      memoryLimitInBytes: 1n << 30n,
    });
    expect(config(pod).linux?.resources).toMatchObject({ cpuShares: 102n, cpuQuota: 200_000n, memoryLimitInBytes: 1n << 30n });
  });

  it('leaves namespaces to the runtime when the spec has no security context', () => {
    const { linux } = generateSandboxConfig(build({ securityContext: undefined }), sandboxInputs);
    expect(linux?.securityContext).toEqual({ privileged: false, seccomp: { profileType: 'RuntimeDefault' } });
  });
});

describe('a container', () => {
  it("has annotations for the recovery by a later agent, and not the pod's labels", () => {
    const pod = build(
      { labels: { app: 'web' }, terminationGracePeriodSeconds: 5, metadata: { deletionGracePeriodSeconds: 3 } },
      {
        command: ['echo', '$(A)', '$$(A)'],
        args: ['$(B)'],
        lifecycle: { preStop: { exec: { command: ['bye'] } } },
        ports: [{ containerPort: 80, name: 'web' }],
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      },
    );
    const { labels, annotations, command, args, metadata, logPath, image, envs } = config(pod);
    expect({ labels, annotations, command, args, metadata, logPath, image }).toEqual({
      labels: {
        'io.kubernetes.container.name': 'c',
        'io.kubernetes.pod.name': 'p',
        'io.kubernetes.pod.namespace': 'default',
        'io.kubernetes.pod.uid': 'u',
      },
      annotations: {
        'io.kubernetes.container.hash': expect.stringMatching(/^[0-9a-f]+$/),
        'io.kubernetes.container.restartCount': '3',
        'io.kubernetes.container.terminationMessagePath': '/dev/termination-log',
        'io.kubernetes.container.terminationMessagePolicy': 'File',
        'io.kubernetes.container.preStopHandler': '{"exec":{"command":["bye"]}}',
        'io.kubernetes.container.ports': '[{"name":"web","containerPort":80,"protocol":"TCP"}]',
        'io.kubernetes.pod.deletionGracePeriod': '3',
        'io.kubernetes.pod.terminationGracePeriod': '5',
      },
      command: ['echo', 'one', '$(A)'],
      args: ['$(B)'],
      metadata: { name: 'c', attempt: 3 },
      logPath: 'c/3.log',
      image: { image: 'sha256:1', userSpecifiedImage: 'busybox:1' },
    });
    expect(envs).toEqual([{ key: 'A', value: new TextEncoder().encode('one') }]);
  });

  it('has resources with huge pages and, on cgroup v1, the limit of memory and swap together', () => {
    const pod = build({}, { resources: { limits: { memory: '64Mi', 'hugepages-2Mi': '4Mi' }, requests: { memory: '64Mi' } } });
    expect(config(pod).linux?.resources).toMatchObject({
      memoryLimitInBytes: 67_108_864n,
      memorySwapLimitInBytes: 67_108_864n,
      hugepageLimits: [
        { pageSize: '2MB', limit: 4_194_304n },
        { pageSize: '1GB', limit: 0n },
      ],
    });
  });

  it('runs as the user of the container, else of the pod, else of the image', () => {
    expect(security(build({ securityContext: { runAsUser: 5 } }, { securityContext: { runAsUser: 6 } }))?.runAsUser).toEqual({ value: 6n });
    expect(security(build({ securityContext: { runAsUser: 5 } }))?.runAsUser).toEqual({ value: 5n });
    expect(security(build({}), { imageUser: { uid: 7n } })?.runAsUser).toEqual({ value: 7n });
    expect(security(build({}), { imageUser: { username: 'www' } })).toMatchObject({ runAsUsername: 'www' });
    expect(security(build({}), { imageUser: undefined })).not.toHaveProperty('runAsUser');
  });

  it.each([
    [{ runAsUser: 0 }, { uid: 9n }, 'container\'s runAsUser breaks non-root policy (pod: "p_default(u)", container: c)'],
    [{}, { uid: 0n }, 'container has runAsNonRoot and image will run as root (pod: "p_default(u)", container: c)'],
    [
      {},
      { username: 'www' },
      'container has runAsNonRoot and image has non-numeric user (www), cannot verify user is non-root (pod: "p_default(u)", container: c)',
    ],
    [{}, undefined, 'container has runAsNonRoot and the image\'s user is not known (pod: "p_default(u)", container: c)'],
  ] as const)('is refused as possibly root (%#)', (own, imageUser, message) => {
    const pod = build({ securityContext: { runAsNonRoot: true } }, { securityContext: own });
    expect(() => config(pod, { imageUser })).toThrow(expect.objectContaining({ code: 'CreateContainerConfigError', message }));
    const fine = build({ securityContext: { runAsNonRoot: true } }, { securityContext: { runAsUser: 1 } });
    expect(() => config(fine, { imageUser })).not.toThrow();
  });

  it('has the seccomp and AppArmor profiles of the container, else of the pod, else the default', () => {
    const localhost = { type: 'Localhost', localhostProfile: 'a.json' };
    expect(
      security(
        build({ securityContext: { seccompProfile: { type: 'RuntimeDefault' } } }, { securityContext: { seccompProfile: localhost } }),
      )?.seccomp,
    ).toEqual({ profileType: 'Localhost', localhostRef: '/seccomp/a.json' });
    expect(security(build({}))?.seccomp).toEqual({ profileType: 'Unconfined' });
    expect(security(build({}), { seccompDefault: true })?.seccomp).toEqual({ profileType: 'RuntimeDefault' });
    expect(security(build({ securityContext: { appArmorProfile: localhost } }))).toMatchObject({
      apparmor: { profileType: 'Localhost', localhostRef: 'a.json' },
      apparmorProfile: 'localhost/a.json',
    });
    const annotated = build({ annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' } });
    expect(security(annotated)).toMatchObject({ apparmor: { profileType: 'Unconfined' }, apparmorProfile: 'unconfined' });
    expect(() => security(build({}, { securityContext: { seccompProfile: { type: 'Localhost' } } }))).toThrow(
      'localhostProfile must be set',
    );
  });

  it.each(['/etc/x', '../x', 'a/../../x'])('rejects the seccomp profile %s outside the profile directory', (localhostProfile) => {
    const pod = build({}, { securityContext: { seccompProfile: { type: 'Localhost', localhostProfile } } });
    expect(() => security(pod)).toThrow(expect.objectContaining({ code: 'CreateContainerConfigError' }));
  });

  it('has the devices of the device plugins, whose annotations do not replace those of the container', () => {
    const devices = [{ containerPath: '/dev/x', hostPath: '/dev/y', permissions: 'rw' }];
    const annotations = { 'device/x': 'y', 'io.kubernetes.container.restartCount': '99' };
    const made = config(build({}), { devices, cdiDevices: [{ name: 'v/c=n' }], annotations });
    expect(made).toMatchObject({ devices, cdiDevices: [{ name: 'v/c=n' }] });
    expect(made.annotations).toMatchObject({ 'device/x': 'y', 'io.kubernetes.container.restartCount': '3' });
  });

  it('has no CPU quota with exclusive CPUs', () => {
    const pod = build({}, { resources: { limits: { cpu: '2' } } });
    expect(config(pod).linux?.resources?.cpuQuota).toBe(200_000n);
    expect(config(pod, { exclusiveCpus: true }).linux?.resources?.cpuQuota).toBe(-1n);
  });

  it('has its stop signal only with the feature gate', () => {
    const pod = build({}, { lifecycle: { stopSignal: 'SIGUSR1' } });
    expect(config(pod)).not.toHaveProperty('stopSignal');
    expect(config(pod, { stopSignals: true }).stopSignal).toBe('SIGUSR1');
    expect(config(build({}), { stopSignals: true })).not.toHaveProperty('stopSignal');
  });

  it('in a user namespace has id mappings on every mount', () => {
    const ids = [{ hostId: 65_536, containerId: 0, length: 65_536 }];
    const userNamespace = { mode: 'POD', uids: ids, gids: ids } as const;
    const mounts = [{ containerPath: '/a', hostPath: '/b' }];
    const made = config(build({}), { userNamespace, mounts });
    expect(made.mounts).toEqual([{ ...mounts[0], uidMappings: ids, gidMappings: ids }]);
    expect(made.linux?.securityContext?.namespaceOptions?.usernsOptions).toEqual(userNamespace);
    expect(config(build({}), { mounts }).mounts).toEqual(mounts);
  });

  it('has the SELinux options of the container, else of the pod', () => {
    const own = { level: 's0:c1' };
    const ofPod = { seLinuxOptions: { user: 'u', role: 'r', type: 't', level: 'l' } };
    expect(security(build({ securityContext: ofPod }, { securityContext: { seLinuxOptions: own } }))?.selinuxOptions).toEqual({
      user: '',
      role: '',
      type: '',
      level: 's0:c1',
    });
    expect(security(build({ securityContext: ofPod }))?.selinuxOptions).toEqual(ofPod.seLinuxOptions);
  });

  it('masks parts of /proc and /sys unless procMount is Unmasked', () => {
    expect(security(build({}), { maskedPaths: ['/sys/x'] })?.maskedPaths).toEqual(expect.arrayContaining(['/proc/kcore', '/sys/x']));
    const unmasked = security(build({}, { securityContext: { procMount: 'Unmasked' } }));
    expect([unmasked?.maskedPaths, unmasked?.readonlyPaths]).toEqual([[], []]);
  });

  it('has the groups of fsGroup, the pod and its volumes in this order, and noNewPrivs only if escalation is forbidden', () => {
    const pod = build({ securityContext: { fsGroup: 2000, supplementalGroups: [5], supplementalGroupsPolicy: 'Strict' } });
    expect(security(pod)).toMatchObject({ supplementalGroups: [2000n, 5n, 77n], supplementalGroupsPolicy: 'Strict', noNewPrivs: false });
    expect(security(build({}, { securityContext: { allowPrivilegeEscalation: false } }))?.noNewPrivs).toBe(true);
  });
});
