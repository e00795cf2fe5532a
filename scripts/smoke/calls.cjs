// One real call for each package and each of its subpaths, as [what it gives, what it must give]. `m` is the module, got by import or by
// require. A package or a subpath without an entry fails the smoke test. Calls require Node's modules themselves: those of the entries that run
// without Node also run there.
const inTmp = (name) => require('node:path').join(require('node:os').tmpdir(), name);

const pod = { metadata: { name: 'web', namespace: 'default', uid: 'u1' }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } };

const kubeconfig =
  'current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\nclusters: [{name: k, cluster: {server: "http://127.0.0.1:1"}}]\n';

/** The code of the error that the promise is rejected with. */
const codeOf = (promise) =>
  promise.then(
    () => 'no error',
    (error) => error.code,
  );

const codeThrown = (call) => {
  try {
    call();
    return 'no error';
  } catch (error) {
    return error.code ?? String(error);
  }
};

module.exports = {
  allocation: (m) => [codeThrown(() => m.createAllocationManager({})), 'InvalidOption'],
  'allocation/decisions': (m) => [
    m.updatePodFromAllocation(pod, { containers: { main: { requests: { cpu: '1' } } } }).spec.containers[0].resources,
    { requests: { cpu: '1' } },
  ],
  'allocation/node': async (m) => [await m.createFileAllocationStore(inTmp('no-allocations')).load(), undefined],
  api: (m) => [m.errorMessage(m.invalidOption('port', 'a port', 0)).includes('port'), true],
  'api/files': (m) => [codeThrown(() => m.unlinkIfExistsSync(inTmp('no-such-file'))), 'no error'],
  'api/helpers': (m) => [m.formatPod(pod), 'web_default(u1)'],
  cgroups: (m) => [
    m.createCgroupManager({ driver: 'systemd', files: { runSystemd: async () => {} } }).path(['kubepods', 'burstable']),
    '/kubepods.slice/kubepods-burstable.slice',
  ],
  'cgroups/decisions': (m) => [m.cgroupValues(2, { memory: 4096n }), [{ controller: 'memory', file: 'memory.max', value: '4096' }]],
  'cgroups/memory': (m) => [m.createMemoryCgroups({ version: 1 }).paths(), []],
  'cgroups/node': (m) => [m.machineCgroupFiles.pid, process.pid],
  'certificate-manager': async (m) => {
    const store = m.createMemoryCertificateStore();
    const manager = m.createCertificateManager({ store, template: () => undefined });
    await manager.start();
    return [manager.explain().message, 'no certificate; rotation is off'];
  },
  'certificate-manager/decisions': (m) => [m.clientTemplate('n1').commonName, 'system:node:n1'],
  cni: (m) => [m.fixedNetworks([]).networks(), []],
  'cni/decisions': (m) => [m.podIPsOf(m.parseResult('{"ips":[{"address":"10.1.0.5/16"}]}', '1.0.0')), ['10.1.0.5']],
  'cni/node': async (m) => [await m.createNetworkNamespaces({ folder: '/no/such/folder' }).list(), []],
  cli: (m) => [m.formatAge(192_000), '3m12s'],
  compliance: async (m) => {
    const { systemClock } = require('@nodeagent/api');
    const clock = { ...systemClock, monotonic: () => 0 };
    const failed = await m.runSuite(m.clockSuite, () => ({ subject: { clock, advance: (ms) => clock.sleep(ms) } }));
    return [failed.some(({ error }) => error !== undefined), true];
  },
  'compliance/doubles': (m) => [typeof m.createTestStatusSink({ clock: {}, post() {} }).start, 'function'],
  'container-logs': (m) => [codeThrown(() => m.createLogReader({ source: {}, bufferBytes: 0 })), 'InvalidOption'],
  'container-logs/node': async (m) => [(await m.nodeLogFiles.list('/no/such/folder')).length, 0],
  'container-logs/decisions': (m) => [
    m.planRotation({ log: '0.log', size: 20, names: ['0.log'] }, Date.UTC(2026, 0, 1), { maxSize: 10, maxFiles: 5 }),
    [{ action: 'rotate', name: '0.log.20260101-000000' }],
  ],
  'container-manager': (m) => [codeThrown(() => m.createContainerManager({ nodeName: '' })), 'InvalidOption'],
  'container-manager/node': (m) => [typeof m.machineKernelSettings.read, 'function'],
  'container-manager/decisions': (m) => [m.podCgroupResources(pod).cpuShares, 2],
  core: (m) => [codeThrown(() => m.createNodeAgent({ sources: [] })), 'InvalidOption'],
  'core/node': (m) => [m.machineHost({ rootDir: '/nowhere', cri: {} }).machine.cpus > 0, true],
  'core/decisions': (m) => [
    m.podDns({ pod, clusterDns: ['10.0.0.10'], clusterDomain: '', resolvConf: undefined, nodeIPs: [] }).servers,
    ['10.0.0.10'],
  ],
  'core/kubelet-configuration': (m) => [m.agentOptionsFrom({ syncFrequency: '90s' }).agent.settings, { syncFrequencyMs: 90_000 }],
  'cpu-manager': (m) => [codeThrown(() => m.createCpuManager({ policy: 'dynamic' })), 'InvalidOption'],
  'cpu-manager/decisions': (m) => [m.exclusiveCpuCount(pod, pod.spec.containers[0]), 0],
  csi: (m) => [m.createMemoryCsiPlugin({ rootDir: '/agent' }).name, 'kubernetes.io/csi'],
  'csi/node': (m) => [m.createCsi({ rootDir: '/agent', nodeName: 'n1', isMountPoint: async () => false }).plugin.name, 'kubernetes.io/csi'],
  'csi/decisions': (m) => [m.csiVolumeName('disks.example.com', 'v1'), 'disks.example.com^v1'],
  'csi/test-driver': (m) => [m.createCsiTestDriver({ name: 'd', registrationSocket: '/r.sock', socket: '/d.sock' }).calls, []],
  'cri-api': (m) => [Object.keys(m).filter((key) => key !== 'default'), []],
  'cri-client': async (m) => {
    const client = m.createCriClient({ endpoint: 'unix:///no/such.sock' });
    const code = await codeOf(client.runtime.version({}, { timeoutMs: 5_000 }));
    await client.close();
    return [code, 'CRI_UNAVAILABLE'];
  },
  'device-manager': (m) => [codeThrown(() => m.createDeviceManager({ pluginDir: '' })), 'InvalidOption'],
  'device-manager/decisions': (m) => [[...m.receiveDevices([{ id: 'gpu0', health: 'Healthy', numaNodes: null }]).healthy], ['gpu0']],
  'device-manager/test-plugin': (m) => [typeof m.createDeviceTestPlugin({ resource: 'example.com/gpu', pluginDir: '/p' }).stop, 'function'],
  'dra-manager': (m) => [codeThrown(() => m.createDraManager({ stateFile: '' })), 'InvalidOption'],
  'dra-manager/decisions': (m) => [m.hasClaims(pod), false],
  'dra-manager/test-driver': (m) => [Object.keys(m).includes('createDraTestDriver'), true],
  envtest: (m) => [m.writeAssets({ folder: inTmp('envtest-assets') }), inTmp('envtest-assets')],
  'envtest/decisions': (m) => [m.readApiServerFlags(['--secure-port=1']).text('secure-port'), '1'],
  'event-recorder': (m) => [codeThrown(() => m.createEventRecorder({ nodeName: 'n1' })), 'InvalidOption'],
  'event-recorder/decisions': (m) => [m.nextTry(new Error('refused'), 1, () => 0.5), 5_000],
  eviction: (m) => [m.parseThresholds({ evictionHard: { 'pid.available': '5%' } })[0].value, { percentage: Math.fround(0.05) }],
  'eviction/decisions': (m) => [m.isEvictionSignal('memory.available'), true],
  'eviction/node': (m) => [m.createCgroupMemoryEvents({ path: '/' }).watch(() => {}, AbortSignal.abort()), undefined],
  grpc: async (m) => {
    const json = {
      encode: (message) => Buffer.from(JSON.stringify(message)),
      decode: (bytes) => JSON.parse(Buffer.from(bytes).toString()),
    };
    const echo = { path: '/demo.Echo/Echo', streams: false, request: json, response: json };
    const server = await m.serveGrpc({
      socketPath: inTmp(`echo-${process.pid}.sock`),
      methods: [m.implementMethod(echo, (text) => text)],
    });
    const client = m.createGrpcClient({ socketPath: server.socketPath });
    const answer = await client.unary(echo, 'hello');
    client.close();
    await server.close();
    return [answer, 'hello'];
  },
  'image-gc': (m) => [codeThrown(() => m.createImageGcManager({ nodeName: '' })), 'InvalidOption'],
  'image-gc/decisions': (m) => [`${m.spaceToFree({ capacityBytes: 1000n, availableBytes: 159n }, 85, 80).bytesToFree}`, '41'],
  'image-manager': async (m) => [(await m.createMemoryPullRecords().listPulledRecords()).length, 0],
  'image-manager/node': async (m) => [(await m.createFilePullRecords({ directory: '/no/such/folder' }).listPulledRecords()).length, 0],
  'image-manager/decisions': (m) => [m.checkPullRecord('nginx:1', undefined, false).reason, 'credentialPolicyAllowed'],
  'image-store': async (m) => [await codeOf(m.openImageStore({ root: '/dev/null/store' })), 'ENOTDIR'],
  'image-store/decisions': (m) => [m.layerEntry('etc/.wh.motd'), { kind: 'whiteout', path: 'etc/motd' }],
  'kube-client': async (m) => [(await m.parseKubeconfig(kubeconfig)).server, 'http://127.0.0.1:1'],
  'kube-client/node': async (m) => {
    const client = m.connectKubeClient({ cluster: await m.loadKubeconfig({ text: kubeconfig, env: {} }) });
    return [await codeOf(client.version()), 'ApiUnreachable'];
  },
  'kube-client/decisions': (m) => [m.proxyFor(new URL('https://cluster'), { HTTPS_PROXY: 'proxy:1' }), 'http://proxy:1'],
  'kubelet-config': (m) => [m.validateKubeletConfiguration(m.setDefaults({ maxPods: -1 })).length, 1],
  'kubelet-config/node': async (m) => [
    await codeOf(m.loadKubeletConfiguration({ config: '/no/such/file' })),
    'KubeletConfigurationUnreadable',
  ],
  'machine-topology': (m) => [m.machineTopologyErrorCodes.invalidMachineTopology, 'InvalidMachineTopology'],
  'machine-topology/node': async (m) => [(await m.readMachineTopology()).cpus.length > 0, true],
  'machine-topology/decisions': (m) => [m.parseNumbers('10 21'), [10, 21]],
  'memory-manager': (m) => [codeThrown(() => m.createMemoryManager({ policy: 'Dynamic' })), 'InvalidOption'],
  'memory-manager/decisions': (m) => [m.memoryHints({ machineState: {}, entries: {}, reusable: {} }, pod, pod.spec.containers[0]), {}],
  'mount-utils': async (m) => [await m.isMountPoint(m.createFakeMounter(), '/data'), false],
  'mount-utils/decisions': (m) => [m.groupMode('file', 0o600, false), 0o660],
  'memory-runtime': async (m) => {
    const { systemClock } = require('@nodeagent/api');
    const { runtime } = m.createMemoryRuntime({ clock: systemClock });
    return [(await runtime.version({})).runtimeName, 'memory'];
  },
  'node-page': (m) => [codeThrown(() => m.createNodePage({ nodeName: '' })), 'InvalidOption'],
  'node-page/cluster': (m) => [codeThrown(() => m.createClusterPage({ source: {}, speed: 1 })), 'InvalidOption'],
  'node-page/decisions': (m) => [m.verdictOf([], [{ name: 'web', health: { level: 'bad' } }]).text, '1 pod needs attention: web'],
  'node-shutdown': (m) => [codeThrown(() => m.createShutdownManager({ nodeName: '' })), 'InvalidOption'],
  'node-shutdown/node': async (m) => [await m.createFileShutdownState('/no/such/file').load(), undefined],
  'node-shutdown/decisions': (m) => [m.shutdownSeconds(m.shutdownPeriods({ shutdownGracePeriodSeconds: 30 })), 30],
  'node-status': (m) => [codeThrown(() => m.createNodeStatusManager({})), 'InvalidOption'],
  'node-status/node': (m) => [m.createNetworkReader().interfaceAddresses().includes('127.0.0.1'), true],
  'node-status/decisions': (m) => [m.aggregateMessage(['a', 'b', 'a']), '[a, b]'],
  'object-store': (m) => [codeThrown(() => m.createWatchedObjects({ kind: 'Secret' })), 'InvalidOption'],
  'object-store/decisions': (m) => [[...m.secretsOfPod({ spec: { containers: [], imagePullSecrets: [{ name: 'pull' }] } })], ['pull']],
  'oci-runtime': (m) => [m.containerUser({}, 'web', { passwd: 'web:x:7:8::/:', group: '' }), { uid: 7, gid: 8, additionalGids: [8] }],
  'oci-runtime/decisions': (m) => [
    m.containerUser({}, 'web', { passwd: 'web:x:7:8::/:', group: '' }),
    { uid: 7, gid: 8, additionalGids: [8] },
  ],
  'oom-watcher': (m) => [codeThrown(() => m.createOomWatcher({ nodeName: '' })), 'InvalidOption'],
  'oom-watcher/node': async (m) => [
    await codeOf(m.createKernelLog({ path: '/no/such/file' }).open(new AbortController().signal)),
    'KernelLogUnavailable',
  ],
  'oom-watcher/decisions': (m) => [m.parseKmsgRecord('4,10,1000,-;out of memory'), { sequence: 10, message: 'out of memory' }],
  pleg: (m) => [m.emptyPodStatus('u1').uid, 'u1'],
  'pleg/decisions': (m) => [m.plegContainerState('created'), 'unknown'],
  'pod-admission': (m) => [m.createSysctlAdmitHandler().admit({ pod, otherPods: [] }), { admit: true }],
  'pod-admission/decisions': (m) => [m.hostPortsConflict(pod, [pod]), false],
  'pod-resources': (m) => [codeThrown(() => m.createPodResourcesServer({ socketPath: '' })), 'InvalidOption'],
  'pod-sources': async (m) => {
    const text = 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: main, image: nginx}]}\n';
    const [document] = await m.decodeManifest(text, { source: 'file', file: '/pods/web.yaml', nodeName: 'node' });
    return [document.pod.metadata.name, 'web-node'];
  },
  'pod-sources/node': (m) => [m.createFileSource({ path: '/no/such/folder', nodeName: 'node' }).name, 'file'],
  'pod-sources/decisions': (m) => [m.defaultPullPolicy('nginx:1'), 'IfNotPresent'],
  'plugin-api': (m) => [
    m.encodeMessage(m.registrationService.notifyRegistrationStatus.request, { pluginRegistered: true }).toString('hex'),
    '0801',
  ],
  'plugin-manager': (m) => [codeThrown(() => m.createPluginManager({ handlers: {}, rescanPeriodMs: 0 })), 'InvalidOption'],
  'plugin-manager/decisions': (m) => [m.planPlugins(new Map([['/a', '2']]), new Map([['/a', '1']])), { unregister: ['/a'], register: [] }],
  'pod-workers': async (m) => {
    const synced = await new Promise((resolve) => {
      const status = {
        uid: 'u1',
        name: 'web',
        namespace: 'default',
        ips: [],
        containerStatuses: [],
        activeContainerStatuses: [],
        sandboxStatuses: [],
        timestamp: 0,
      };
      const workers = m.createPodWorkers({
        cache: { get: () => status, getNewerThan: async () => status },
        syncer: {
          async syncPod(type) {
            resolve(type);
            return { terminal: false, changed: false };
          },
          async syncTerminatingPod() {},
          async syncTerminatingRuntimePod() {},
          async syncTerminatedPod() {},
        },
      });
      workers.updatePod({ type: 'create', pod });
    });
    return [synced, 'create'];
  },
  'pod-workers/decisions': (m) => [m.killTimeoutSeconds(30), 45],
  'process-runtime': (m) => [m.isHostImage('host'), true],
  'process-runtime/cri': (m) => [m.decodeRecord(m.encodeRecord({ size: 2n })).size === 2n, true],
  prober: async (m) => [
    (await m.runProbe({ httpGet: { port: 'web' } }, { host: '127.0.0.1' })).error,
    'strconv.Atoi: parsing "web": invalid syntax',
  ],
  'prober/node': async (m) => [
    (await m.machineProbeNetwork.tcp('127.0.0.1', 1, new AbortController().signal)).output,
    'dial tcp 127.0.0.1:1: connect: connection refused',
  ],
  'prober/decisions': (m) => [m.formatUrl(m.parseUrl('http://host/path?query')), 'http://host/path?query'],
  'runtime-manager': (m) => [m.subordinateIds('kubelet:65536:7208960\n', 'kubelet:65536:7208960\n'), { first: 65536, count: 7208960 }],
  'runtime-manager/node': async (m) => [await m.nodeFiles.exists('/no/such/file'), false],
  'runtime-manager/decisions': (m) => [m.hashContainer({ name: 'c', image: 'localhost/busybox:1' }), 'dd609c43'],
  stats: (m) => [m.chooseStatsSource('unix:///run/crio/crio.sock'), 'cgroup'],
  'stats/node': (m) => [codeThrown(() => m.createStatsProvider({ nodeName: '' })), 'InvalidOption'],
  'stats/decisions': (m) => [String(m.nanoCores(2_000_000_000n, 10e9)), '200000000'],
  server: async (m) => {
    const server = m.createNodeServer({ nodeName: 'n1', pods: { pods: () => [] }, readOnly: { address: '127.0.0.1', port: 0 } });
    await server.start();
    const answer = await fetch(`http://127.0.0.1:${server.ports.readOnly}/healthz`);
    const text = await answer.text();
    await server.stop();
    return [text, 'ok'];
  },
  'server/settings': (m) => [m.nodeServerSettings.maxConnections.default, 1000],
  'server/streaming': async (m) => [await m.createNodeStreaming({}, { portForwardUrl: async () => 'url' }).portForwardUrl({}, [80]), 'url'],
  'server/decisions': (m) => [m.healthzAnswer('/healthz', new URLSearchParams(), []).status, 200],
  'status-manager': (m) => [codeThrown(() => m.createReasonCache({ capacity: 0 })), 'InvalidOption'],
  'status-manager/decisions': (m) => [
    m.getPhase({ pod, containerStatuses: [], podIsTerminal: false, podHasInitialized: false }),
    'Pending',
  ],
  streaming: (m) => [m.parseCommandEnd(m.formatCommandEnd({ exitCode: 3 })), { exitCode: 3 }],
  'test-api-server': (m) => [m.createTestApiServer().objects.list('namespaces').length, 4],
  'test-api-server/node': (m) => [m.createTestAuthority().cert.startsWith('-----BEGIN CERTIFICATE-----'), true],
  'test-controllers': (m) => [
    codeThrown(() => m.createTestControllers({ nodeLifecycle: { nodeMonitorGracePeriodMs: 0 } })),
    'InvalidOption',
  ],
  'test-controllers/decisions': (m) => [m.nodeTaints({}).map(({ key }) => key), ['node.kubernetes.io/not-ready']],
  'explore/node': (m) => [typeof m.commandController('true'), 'function'],
  explore: (m) => [m.scheduleText(m.parseSchedule('crash@1')), 'crash@1'],
  'test-cluster': async (m) => {
    const cluster = await m.createTestCluster({ nodes: 1 });
    cluster.image('nginx:1', ({ sleep }) => sleep(Infinity));
    cluster.apply({ apiVersion: 'v1', kind: 'Pod', ...pod });
    await cluster.advance('1m');
    const phase = cluster.pod('web')?.status?.phase;
    await cluster.stop();
    return [phase, 'Running'];
  },
  testing: async (m) => {
    const clock = m.createVirtualClock();
    const before = clock.now();
    await clock.advance(3_600_000);
    return [clock.now() - before, 3_600_000];
  },
  'topology-manager': (m) => [codeThrown(() => m.createTopologyManager({ policy: 'strict' })), 'InvalidOption'],
  'topology-manager/decisions': (m) => [
    m.mergeHints({ policy: 'none', numaNodes: [{ id: 0, distances: [10] }], providers: [] }).admit,
    true,
  ],
  'volume-manager': (m) => [codeThrown(() => m.createVolumeManager({ plugins: [], settings: { waitTimeoutMs: 0 } })), 'InvalidOption'],
  'volume-manager/decisions': (m) => [
    m.describePodVolumeState({ state: 'RemountRequired' }, 'data', 'u1'),
    'volumeName "data" is mounted to "u1" but should be remounted',
  ],
  protobuf: (m) => [
    m.decodeMessage(m.message({ id: m.string(1) }), m.encodeMessage(m.message({ id: m.string(1) }), { id: 'a' })),
    { id: 'a' },
  ],
  'pod-view': (m) => [
    m.explainPod({ spec: { nodeName: 'n' } }, { now: 0 }).sentence,
    'The pod is scheduled to node n, which has not reported its status yet.',
  ],
  'pod-view/cluster': (m) => [m.clusterVerdict([], []).text, 'no pods'],
  'pod-view/health': (m) => [m.containerStateText({ state: { waiting: { reason: 'ErrImagePull' } } }), 'ErrImagePull'],
  'pod-view/resources': (m) => [m.formatBytes('1536Mi'), '1.5 GiB'],
  'pod-view/timeline': (m) => [m.withoutUids('a b'), 'a b'],
  'pod-view/tables': (m) => [m.tableOf('pods', [], { now: 0 }).rows, []],
  'volume-plugins': (m) => [m.createMemoryVolumes({ rootDir: '/agent' }).plugins.length, 11],
  'volume-plugins/node': async (m) => {
    const { mkdtempSync, rmSync } = require('node:fs');
    const rootDir = mkdtempSync('/tmp/smoke-volumes-');
    const volumes = m.createPodVolumes({ rootDir });
    const mounted = await volumes.mount({ ...pod, spec: { ...pod.spec, volumes: [{ name: 'cache', emptyDir: {} }] } });
    await volumes.unmount('u1');
    rmSync(rootDir, { recursive: true });
    return [mounted.get('cache').hostPath, `${rootDir}/pods/u1/volumes/kubernetes.io~empty-dir/cache`];
  },
  'volume-plugins/decisions': (m) => [m.validatePayloadPath('conf/app.conf'), 'conf/app.conf'],
  x509: (m) => [m.x509ErrorCodes.invalidCertificateRequest, 'InvalidCertificateRequest'],
  'x509/node': (m) => [codeThrown(() => m.parseCertificateRequest('no PEM')), 'InvalidCertificateRequest'],
  'x509/decisions': (m) => [codeThrown(() => m.readCertificateRequest('no PEM')), 'InvalidCertificateRequest'],
  yaml: async (m) => [(await m.readYaml('mode: 0644')).map(({ value }) => value.mode), [0o644]],
};
