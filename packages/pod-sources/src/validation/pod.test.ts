import type { Container, Pod, PodSpec, Volume } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { applyApiDefaults } from '../manifest/defaults.js';
import { validatePod } from './pod.js';

function podOf(spec: Partial<PodSpec>, metadata: Pod['metadata'] = {}): Pod {
  const pod: Pod = structuredClone({
    metadata: { name: 'web', namespace: 'default', ...metadata },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  });
  applyApiDefaults(pod);
  return pod;
}

const lines = (pod: Pod) => validatePod(pod).map(({ field, problem }) => `${field}: ${problem}`);
const withContainer = (container: Partial<Container>, spec: Partial<PodSpec> = {}) =>
  podOf({ containers: [{ name: 'c', image: 'i', ...container }], ...spec });
const withInit = (container: Partial<Container>) => podOf({ initContainers: [{ name: 'i', image: 'i', ...container }] });
const withVolume = (volume: Omit<Volume, 'name'>) => podOf({ volumes: [{ name: 'v', ...volume }] });
const long = 'a'.repeat(64);

describe('validatePod', () => {
  it.each<[string, Pod]>([
    ['a plain pod', podOf({})],
    [
      'a pod that uses much',
      podOf(
        {
          initContainers: [
            { name: 'setup', image: 'i' },
            { name: 'sidecar', image: 'i', restartPolicy: 'Always', startupProbe: { tcpSocket: { port: 'http' } } },
          ],
          containers: [
            {
              name: 'c',
              image: 'i',
              ports: [
                { name: 'http', containerPort: 80, hostPort: 8080 },
                { containerPort: 80, hostPort: 8080, protocol: 'UDP' },
              ],
              env: [
                { name: 'A B', value: '' },
                { name: 'N', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
              ],
              resources: { limits: { cpu: '1', memory: '1Gi', 'example.com/gpu': '2', 'hugepages-2Mi': '2Mi' }, requests: { cpu: '1' } },
              volumeMounts: [
                { name: 'v', mountPath: '/a', subPath: 'a..b/c' },
                { name: 'v', mountPath: '/b', mountPropagation: 'Bidirectional' },
              ],
              securityContext: { privileged: true, seccompProfile: { type: 'Localhost', localhostProfile: 'p/x.json' } },
              lifecycle: { preStop: { sleep: { seconds: 30 } } },
              restartPolicy: 'Never',
              restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [1] } }],
            },
          ],
          volumes: [
            { name: 'v', hostPath: { path: '/x', type: 'Directory' } },
            { name: 'e', emptyDir: { medium: 'HugePages-2Mi' } },
          ],
          dnsPolicy: 'None',
          dnsConfig: { nameservers: ['::1'], searches: ['_tcp.example.com.', '.'] },
          tolerations: [{ operator: 'Exists' }, { key: 'a.b/c', value: 'd', effect: 'NoExecute', tolerationSeconds: 3 }],
          resources: { limits: { cpu: '2' } },
        },
        { labels: { 'a.b/C_d': '' }, annotations: { 'A.b/C': 'any\ntext' }, uid: 'x-1' },
      ),
    ],
    ['a pod that waits for its gates', podOf({ schedulingGates: [{ name: 'example.com/quota' }] })],
  ])('accepts %s', (_, pod) => {
    expect(lines(pod)).toEqual([]);
  });

  it.each<[string, Pod, string[]]>([
    ['a bad name', podOf({}, { name: 'a_b' }), ['metadata.name: Invalid value: "a_b": a lowercase RFC 1123 subdomain']],
    ['a long name', podOf({}, { name: 'a'.repeat(254) }), ['metadata.name: Invalid value: "aaa']],
    ['a bad namespace', podOf({}, { namespace: 'a.b' }), ['metadata.namespace: Invalid value: "a.b": a lowercase RFC 1123 label']],
    [
      'a gate on a pod that has a node',
      podOf({ nodeName: 'n1', schedulingGates: [{ name: 'a b' }] }),
      ['spec.schedulingGates[0].name: Invalid value: "a b"', 'spec.nodeName: Forbidden: cannot be set until all schedulingGates'],
    ],
    ['a UID that leads elsewhere', podOf({}, { uid: '../x' }), ['metadata.uid: Invalid value: "../x": ']],
    [
      'a bad label',
      podOf({}, { labels: { 'a b': 'c d' } }),
      ['metadata.labels: Invalid value: "a b"', 'metadata.labels[a b]: Invalid value: "c d"'],
    ],
    ['a bad prefix', podOf({}, { labels: { 'A/b': '' } }), ['metadata.labels: Invalid value: "A/b": what stands before the "/"']],
    ['long annotations', podOf({}, { annotations: { a: 'x'.repeat(256 * 1024) } }), ['metadata.annotations: Too long']],
    ['no containers', podOf({ containers: [] }), ['spec.containers: Required value']],
    ['no name', withContainer({ name: '' }), ['spec.containers[0].name: Required value']],
    [
      'a long container name',
      withContainer({ name: long }),
      [`spec.containers[0].name: Invalid value: "${long}": must be no more than 63`],
    ],
    ['no image', withContainer({ image: '' }), ['spec.containers[0].image: Required value']],
    ['a space in the image', withContainer({ image: 'a ' }), ['spec.containers[0].image: Invalid value: "a "']],
    [
      'a container twice',
      podOf({
        containers: [
          { name: 'c', image: 'i' },
          { name: 'c', image: 'i' },
        ],
        initContainers: [{ name: 'c', image: 'i' }],
      }),
      ['spec.containers[1].name: Duplicate value: "c"', 'spec.initContainers[0].name: Duplicate value: "c"'],
    ],
    [
      'a bad pull policy',
      withContainer({ imagePullPolicy: 'Often' }),
      ['spec.containers[0].imagePullPolicy: Unsupported value: "Often": supported values: "Always", "IfNotPresent", "Never"'],
    ],
    [
      'a bad message policy',
      withContainer({ terminationMessagePolicy: 'X' }),
      ['spec.containers[0].terminationMessagePolicy: Unsupported value: "X"'],
    ],
    ['a bad restart policy', podOf({ restartPolicy: 'Sometimes' }), ['spec.restartPolicy: Unsupported value: "Sometimes"']],
    [
      'a bad restart policy of a container',
      withInit({ restartPolicy: 'X' }),
      ['spec.initContainers[0].restartPolicy: Unsupported value: "X"'],
    ],
    [
      'ephemeral containers',
      podOf({ ephemeralContainers: [{ name: 'e', image: 'i' }] }),
      ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
    ],
    [
      'a port out of range',
      withContainer({ ports: [{ containerPort: 70000, hostPort: -1 }] }),
      ['spec.containers[0].ports[0].containerPort: Invalid value: 70000', 'spec.containers[0].ports[0].hostPort: Invalid value: -1'],
    ],
    ['no port', withContainer({ ports: [{ containerPort: 0 }] }), ['spec.containers[0].ports[0].containerPort: Required value']],
    [
      'a bad port name and protocol',
      withContainer({ ports: [{ name: 'a--b', containerPort: 1, protocol: 'tcp' }] }),
      ['spec.containers[0].ports[0].name: Invalid value: "a--b"', 'spec.containers[0].ports[0].protocol: Unsupported value: "tcp"'],
    ],
    [
      'a port name twice',
      withContainer({
        ports: [
          { name: 'a', containerPort: 1 },
          { name: 'a', containerPort: 2 },
        ],
      }),
      ['spec.containers[0].ports[1].name: Duplicate value: "a"'],
    ],
    [
      'a host port twice',
      withContainer({
        ports: [
          { containerPort: 1, hostPort: 9 },
          { containerPort: 2, hostPort: 9 },
        ],
      }),
      ['spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//9"'],
    ],
    [
      'another host port on the host network',
      withContainer({ ports: [{ containerPort: 1, hostPort: 2 }] }, { hostNetwork: true }),
      ['spec.containers[0].ports[0].hostPort: Invalid value: 2: must match'],
    ],
    ['no variable name', withContainer({ env: [{ name: '' }] }), ['spec.containers[0].env[0].name: Required value']],
    ['a bad variable name', withContainer({ env: [{ name: 'A=B' }] }), ['spec.containers[0].env[0].name: Invalid value: "A=B"']],
    [
      'a variable from nowhere',
      withContainer({ env: [{ name: 'A', valueFrom: {} }] }),
      ['spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of'],
    ],
    [
      'a variable from two places',
      withContainer({ env: [{ name: 'A', value: 'b', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] }),
      ['spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty'],
    ],
    [
      'an unknown field',
      withContainer({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.x' } } }] }),
      ['spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "spec.x"'],
    ],
    [
      'an unknown resource',
      withContainer({ env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.gpu' } } }] }),
      ['spec.containers[0].env[0].valueFrom.resourceFieldRef.resource: Unsupported value: "limits.gpu"'],
    ],
    ['an empty envFrom', withContainer({ envFrom: [{}] }), ['spec.containers[0].envFrom[0]: Invalid value: "": must specify one of']],
    [
      'an unknown volume',
      withContainer({ volumeMounts: [{ name: 'x', mountPath: '/x' }] }),
      ['spec.containers[0].volumeMounts[0].name: Not found: "x"'],
    ],
    [
      'a mount without a path',
      withContainer({ volumeMounts: [{ name: 'v', mountPath: '' }] }, { volumes: [{ name: 'v' }] }),
      ['spec.containers[0].volumeMounts[0].mountPath: Required value'],
    ],
    [
      'a mount path twice',
      withContainer(
        {
          volumeMounts: [
            { name: 'v', mountPath: '/a' },
            { name: 'v', mountPath: '/a' },
          ],
        },
        { volumes: [{ name: 'v' }] },
      ),
      ['spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/a": must be unique'],
    ],
    [
      'a sub-path that leads out',
      withContainer({ volumeMounts: [{ name: 'v', mountPath: '/a', subPath: 'a/../..' }] }, { volumes: [{ name: 'v' }] }),
      ['spec.containers[0].volumeMounts[0].subPath: Invalid value: "a/../..": must not contain \'..\''],
    ],
    [
      'two-way propagation without privilege',
      withContainer({ volumeMounts: [{ name: 'v', mountPath: '/a', mountPropagation: 'Bidirectional' }] }, { volumes: [{ name: 'v' }] }),
      ['spec.containers[0].volumeMounts[0].mountPropagation: Forbidden: Bidirectional'],
    ],
    [
      'a device that is no claim',
      withContainer({ volumeDevices: [{ name: 'v', devicePath: '/dev/x' }] }, { volumes: [{ name: 'v' }] }),
      ['spec.containers[0].volumeDevices[0].name: Invalid value: "v": can only use'],
    ],
    [
      'a probe without a handler',
      withContainer({ livenessProbe: {} }),
      ['spec.containers[0].livenessProbe: Required value: must specify one of exec, httpGet, tcpSocket, grpc'],
    ],
    [
      'a probe with two',
      withContainer({ livenessProbe: { exec: { command: ['x'] }, tcpSocket: { port: 1 } } }),
      ['spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type'],
    ],
    [
      'a probe without a command',
      withContainer({ readinessProbe: { exec: {} } }),
      ['spec.containers[0].readinessProbe.exec.command: Required value'],
    ],
    [
      'a probe of a bad port',
      withContainer({ livenessProbe: { httpGet: { port: 0, scheme: 'http' } } }),
      [
        'spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0',
        'spec.containers[0].livenessProbe.httpGet.scheme: Unsupported value: "http"',
      ],
    ],
    [
      'negative times',
      withContainer({ livenessProbe: { tcpSocket: { port: 1 }, periodSeconds: -1 } }),
      ['spec.containers[0].livenessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'two successes of liveness',
      withContainer({ livenessProbe: { tcpSocket: { port: 1 }, successThreshold: 2 } }),
      ['spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1'],
    ],
    [
      'a probe of an init container',
      withInit({ readinessProbe: { tcpSocket: { port: 1 } } }),
      ['spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers'],
    ],
    [
      'a hook of an init container',
      withInit({ lifecycle: {} }),
      ['spec.initContainers[0].lifecycle: Forbidden: may not be set for init containers'],
    ],
    [
      'an empty hook',
      withContainer({ lifecycle: { postStart: {} } }),
      ['spec.containers[0].lifecycle.postStart: Required value: must specify one of'],
    ],
    [
      'a sleep beyond the grace period',
      withContainer({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }),
      ['spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31'],
    ],
    [
      'more requested than allowed',
      withContainer({ resources: { limits: { cpu: '1' }, requests: { cpu: '1001m' } } }),
      ['spec.containers[0].resources.requests[cpu]: Invalid value: "1001m": must be less than or equal to cpu limit of 1'],
    ],
    [
      'a negative amount',
      withContainer({ resources: { requests: { memory: '-1' } } }),
      ['spec.containers[0].resources.requests[memory]: Invalid value: "-1"'],
    ],
    [
      'an unknown resource name',
      withContainer({ resources: { requests: { gpu: '1' } } }),
      ['spec.containers[0].resources.requests[gpu]: Invalid value: "gpu": must be a standard resource type'],
    ],
    [
      'a device in parts',
      withContainer({ resources: { limits: { 'a.b/c': '1500m' } } }),
      [
        'spec.containers[0].resources.limits[a.b/c]: Invalid value: "1500m": must be an integer',
        'spec.containers[0].resources.requests[a.b/c]',
      ],
    ],
    [
      'a device without a limit',
      withContainer({ resources: { requests: { 'a.b/c': '1' } } }),
      ['spec.containers[0].resources.limits[a.b/c]: Required value'],
    ],
    [
      'only huge pages',
      withContainer({ resources: { limits: { 'hugepages-2Mi': '2Mi' } } }),
      ['spec.containers[0].resources: Forbidden: HugePages require cpu or memory'],
    ],
    [
      'an unknown claim',
      withContainer({ resources: { claims: [{ name: 'x' }] } }),
      ['spec.containers[0].resources.claims[0].name: Not found: "x"'],
    ],
    [
      'less for the pod than for its containers',
      withContainer({ resources: { requests: { cpu: '2' } } }, { resources: { requests: { cpu: '1' } } }),
      ['spec.resources.requests[cpu]: Invalid value: "1": must be greater than or equal to aggregate container requests of 2'],
    ],
    [
      'a bad user',
      withContainer({ securityContext: { runAsUser: -1 } }),
      ['spec.containers[0].securityContext.runAsUser: Invalid value: -1'],
    ],
    [
      'privileged without escalation',
      withContainer({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
      ['spec.containers[0].securityContext.allowPrivilegeEscalation: Invalid value: false'],
    ],
    [
      'a profile without a file',
      podOf({ securityContext: { seccompProfile: { type: 'Localhost' } } }),
      ['spec.securityContext.seccompProfile.localhostProfile: Required value'],
    ],
    [
      'a rule without a policy',
      withContainer({ restartPolicyRules: [{ action: 'X' }] }),
      [
        'spec.containers[0].restartPolicy: Required value',
        'spec.containers[0].restartPolicyRules[0].action: Unsupported value: "X"',
        'spec.containers[0].restartPolicyRules[0].exitCodes: Required value',
      ],
    ],
    ['a volume twice', podOf({ volumes: [{ name: 'v' }, { name: 'v' }] }), ['spec.volumes[1].name: Duplicate value: "v"']],
    [
      'a volume of two kinds',
      withVolume({ emptyDir: {}, hostPath: { path: '/x' } }),
      ['spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type'],
    ],
    ['a host path without a path', withVolume({ hostPath: { path: '' } }), ['spec.volumes[0].hostPath.path: Required value']],
    [
      'a host path upwards',
      withVolume({ hostPath: { path: '/a/../b', type: 'Dir' } }),
      ['spec.volumes[0].hostPath.path: Invalid value: "/a/../b"', 'spec.volumes[0].hostPath.type: Unsupported value: "Dir"'],
    ],
    [
      'a bad medium and size',
      withVolume({ emptyDir: { medium: 'memory', sizeLimit: '-1' } }),
      ['spec.volumes[0].emptyDir.sizeLimit: Invalid value: "-1"', 'spec.volumes[0].emptyDir.medium: Unsupported value: "memory"'],
    ],
    [
      'a bad mode',
      withVolume({ downwardAPI: { defaultMode: 0o1000, items: [{ path: '/x' }] } }),
      [
        'spec.volumes[0].downwardAPI.defaultMode: Invalid value: 512',
        'spec.volumes[0].downwardAPI.items[0].path: Invalid value: "/x": must be a relative path',
        'spec.volumes[0].downwardAPI.items[0]: Required value',
      ],
    ],
    [
      'a token without an account',
      withVolume({ projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }),
      ['spec.volumes[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set'],
    ],
    ['a negative grace period', podOf({ terminationGracePeriodSeconds: -1 }), ['spec.terminationGracePeriodSeconds: Invalid value: -1']],
    ['no deadline at all', podOf({ activeDeadlineSeconds: 0 }), ['spec.activeDeadlineSeconds: Invalid value: 0']],
    ['an unknown DNS policy', podOf({ dnsPolicy: 'Host' }), ['spec.dnsPolicy: Unsupported value: "Host"']],
    ['no name server', podOf({ dnsPolicy: 'None' }), ['spec.dnsConfig: Required value: must provide at least one DNS nameserver']],
    [
      'a bad name server',
      podOf({ dnsConfig: { nameservers: ['dns'] } }),
      ['spec.dnsConfig.nameservers[0]: Invalid value: "dns": must be a valid IP address'],
    ],
    [
      'a bad host name',
      podOf({ hostname: 'A.b', subdomain: '-' }),
      ['spec.hostname: Invalid value: "A.b"', 'spec.subdomain: Invalid value: "-"'],
    ],
    [
      'a bad host alias',
      podOf({ hostAliases: [{ ip: 'x', hostnames: ['A'] }] }),
      ['spec.hostAliases[0].ip: Invalid value: "x"', 'spec.hostAliases[0].hostnames[0]: Invalid value: "A"'],
    ],
    [
      'a toleration of nothing',
      podOf({ tolerations: [{ value: 'x' }] }),
      ['spec.tolerations[0].operator: Invalid value: "": operator must be Exists'],
    ],
    [
      'a toleration of a bad effect',
      podOf({ tolerations: [{ key: 'a', operator: 'Is', effect: 'No', tolerationSeconds: 1 }] }),
      [
        'spec.tolerations[0].effect: Invalid value: "No"',
        'spec.tolerations[0].operator: Unsupported value: "Is"',
        'spec.tolerations[0].effect: Unsupported value: "No"',
      ],
    ],
    ['a bad node selector', podOf({ nodeSelector: { a: 'b c' } }), ['spec.nodeSelector[a]: Invalid value: "b c"']],
    [
      'an affinity without terms',
      podOf({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } } }),
      ['spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required value'],
    ],
    ['two process namespaces', podOf({ hostPID: true, shareProcessNamespace: true }), ['spec.shareProcessNamespace: Invalid value: true']],
    [
      'own users on the host network',
      podOf({ hostUsers: false, hostNetwork: true }),
      ['spec.hostNetwork: Forbidden: when `hostUsers` is false'],
    ],
    [
      'a bad sysctl',
      podOf({ securityContext: { sysctls: [{ name: 'A B', value: '' }] } }),
      ['spec.securityContext.sysctls[0].name: Invalid value: "A B"'],
    ],
    [
      'a bad readiness gate',
      podOf({ readinessGates: [{ conditionType: '' }] }),
      ['spec.readinessGates[0].conditionType: Invalid value: ""'],
    ],
    ['another system', podOf({ os: { name: 'plan9' } }), ['spec.os.name: Unsupported value: "plan9"']],
  ])('refuses %s', (_, pod, expected) => {
    const found = lines(pod);
    expect(found.map((line, index) => line.slice(0, expected[index]?.length ?? 0))).toEqual(expected);
  });
});
