// One real call for each package, as [what it gives, what it must give]. `m` is the package, got by import or by require.
// A package without an entry fails the smoke test.
const pod = { metadata: { name: 'web', namespace: 'default', uid: 'u1' }, spec: { containers: [{ name: 'main', image: 'nginx:1' }] } };

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
  allocation: (m) => [
    m.updatePodFromAllocation(pod, { containers: { main: { requests: { cpu: '1' } } } }).spec.containers[0].resources,
    { requests: { cpu: '1' } },
  ],
  api: (m) => [m.formatPod(pod), 'web_default(u1)'],
  cli: (m) => [m.formatAge(192_000), '3m12s'],
  compliance: async (m) => {
    const { systemClock } = require('@nodeagent/api');
    const clock = { ...systemClock, monotonic: () => 0 };
    const failed = await m.runSuite(m.clockSuite, () => ({ subject: { clock, advance: (ms) => clock.sleep(ms) } }));
    return [failed.some(({ error }) => error !== undefined), true];
  },
  'container-logs': (m) => [
    m.planRotation({ log: '0.log', size: 20, names: ['0.log'] }, Date.UTC(2026, 0, 1), { maxSize: 10, maxFiles: 5 }),
    [{ action: 'rotate', name: '0.log.20260101-000000' }],
  ],
  core: (m) => [codeThrown(() => m.createNodeAgent({ sources: [] })), 'InvalidOption'],
  'core/kubelet-configuration': (m) => [m.agentOptionsFrom({ syncFrequency: '90s' }).agent.settings, { syncFrequencyMs: 90_000 }],
  'cri-api': (m) => [Object.keys(m).filter((key) => key !== 'default'), []],
  'cri-client': async (m) => {
    const client = m.createCriClient({ endpoint: 'unix:///no/such.sock' });
    const code = await codeOf(client.runtime.version({}, { timeoutMs: 5_000 }));
    await client.close();
    return [code, 'CRI_UNAVAILABLE'];
  },
  'event-recorder': (m) => [codeThrown(() => m.createEventRecorder({ nodeName: 'n1' })), 'InvalidOption'],
  eviction: (m) => [m.parseThresholds({ evictionHard: { 'pid.available': '5%' } })[0].value, { percentage: Math.fround(0.05) }],
  'image-gc': (m) => [`${m.spaceToFree({ capacityBytes: 1000n, availableBytes: 159n }, 85, 80).bytesToFree}`, '41'],
  'image-manager': (m) => [m.checkPullRecord('nginx:1', undefined, false).reason, 'credentialPolicyAllowed'],
  'kube-client': async (m) => {
    const text =
      'current-context: c\ncontexts: [{name: c, context: {cluster: k}}]\nclusters: [{name: k, cluster: {server: "http://127.0.0.1:1"}}]\n';
    const client = m.createKubeClient({ cluster: await m.loadKubeconfig({ text, env: {} }) });
    return [await codeOf(client.version()), 'ApiUnreachable'];
  },
  'kubelet-config': (m) => [m.validateKubeletConfiguration(m.setDefaults({ maxPods: -1 })).length, 1],
  'node-page': (m) => [m.verdictOf([], [{ name: 'web', health: { level: 'bad' } }]).text, '1 pod needs attention: web'],
  'node-shutdown': (m) => [m.shutdownSeconds(m.shutdownPeriods({ shutdownGracePeriodSeconds: 30 })), 30],
  'node-status': (m) => [m.aggregateMessage(['a', 'b', 'a']), '[a, b]'],
  'object-store': (m) => [[...m.secretsOfPod({ spec: { containers: [], imagePullSecrets: [{ name: 'pull' }] } })], ['pull']],
  'oom-watcher': (m) => [m.parseKmsgRecord('4,10,1000,-;out of memory'), { sequence: 10, message: 'out of memory' }],
  pleg: (m) => [m.plegContainerState('created'), 'unknown'],
  'pod-admission': (m) => [m.createSysctlAdmitHandler().admit({ pod, otherPods: [] }), { admit: true }],
  'pod-sources': async (m) => {
    const text = 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: main, image: nginx}]}\n';
    const [document] = await m.decodeManifest(text, { source: 'file', file: '/pods/web.yaml', nodeName: 'node' });
    return [document.pod.metadata.name, 'web-node'];
  },
  'plugin-api': (m) => [
    m.encodeMessage(m.registrationService.notifyRegistrationStatus.request, { pluginRegistered: true }).toString('hex'),
    '0801',
  ],
  'plugin-manager': (m) => [m.planPlugins(new Map([['/a', '2']]), new Map([['/a', '1']])), { unregister: ['/a'], register: [] }],
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
  'process-runtime': (m) => [m.isHostImage('host'), true],
  prober: async (m) => [
    (await m.runProbe({ httpGet: { port: 'web' } }, { host: '127.0.0.1' })).error,
    'strconv.Atoi: parsing "web": invalid syntax',
  ],
  'runtime-manager': (m) => [m.hashContainer({ name: 'c', image: 'localhost/busybox:1' }), 'dd609c43'],
  stats: (m) => [String(m.nanoCores(2_000_000_000n, 10e9)), '200000000'],
  server: async (m) => {
    const server = m.createNodeServer({ nodeName: 'n1', pods: { pods: () => [] }, readOnly: { address: '127.0.0.1', port: 0 } });
    await server.start();
    const answer = await fetch(`http://127.0.0.1:${server.ports.readOnly}/healthz`);
    const text = await answer.text();
    await server.stop();
    return [text, 'ok'];
  },
  'status-manager': (m) => [m.getPhase({ pod, containerStatuses: [], podIsTerminal: false, podHasInitialized: false }), 'Pending'],
  streaming: (m) => [m.parseCommandEnd(m.formatCommandEnd({ exitCode: 3 })), { exitCode: 3 }],
  'test-cluster': async (m) => {
    const cluster = await m.createTestCluster({ nodes: 1 });
    cluster.apply({ apiVersion: 'v1', kind: 'Pod', ...pod });
    await cluster.advance('1m');
    const phase = cluster.pod('web')?.status?.phase;
    await cluster.stop();
    return [phase, 'Running'];
  },
  testing: async (m) => {
    const clock = m.createVirtualClock();
    const { runtime } = m.createMemoryRuntime({ clock });
    const namespaces = m.createTestApiServer({ clock }).objects.list('namespaces');
    return [`${(await runtime.version({})).runtimeName} ${namespaces.length}`, 'memory 4'];
  },
  'volume-manager': (m) => [m.isPathWithinBase('/pods/u1/volumes', '/pods/u1'), true],
  yaml: async (m) => [(await m.readYaml('mode: 0644')).map(({ value }) => value.mode), [0o644]],
};
