import type { PodInput } from '@nodeagent/testing';
import { createPod, deletePod, forever, foreverCommand, type Scenario, type ScenarioContext, shell, untilReady } from '../scenario.js';

const lifecycles = (spec: Omit<PodInput, 'name' | 'namespace'>) => async (context: ScenarioContext) => {
  context.memory.script('c', forever);
  createPod(context, spec);
  await untilReady(context);
  await context.clock.advance(2_000);
  await deletePod(context);
};

/** Pods with detailed specs: tests what reaches the runtime. */
export const specs: Scenario[] = [
  {
    name: 'security-and-resources',
    act: lifecycles({
      hostname: 'hh',
      subdomain: 'sub',
      shareProcessNamespace: true,
      securityContext: {
        runAsUser: 1000,
        runAsGroup: 3000,
        supplementalGroups: [5],
        fsGroup: 2000,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['10.0.0.10'], searches: ['x.y'], options: [{ name: 'ndots', value: '2' }] },
      hostAliases: [{ ip: '1.2.3.4', hostnames: ['foo', 'bar'] }],
      containers: [
        shell('c', foreverCommand, {
          tty: true,
          stdin: true,
          workingDir: '/tmp',
          ports: [{ name: 'web', containerPort: 8080, hostPort: 18080, protocol: 'TCP' }],
          terminationMessagePolicy: 'FallbackToLogsOnError',
          resources: { requests: { cpu: '150m', memory: '32Mi' }, limits: { cpu: '250m', memory: '64Mi' } },
          securityContext: {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            runAsNonRoot: true,
            capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE'] },
          },
        }),
      ],
    }),
  },
  {
    name: 'host-namespaces',
    act: lifecycles({
      hostNetwork: true,
      hostPID: true,
      hostIPC: true,
      containers: [shell('c', foreverCommand, { securityContext: { privileged: true } })],
    }),
  },
  {
    name: 'guaranteed',
    act: lifecycles({ containers: [shell('c', foreverCommand, { resources: { limits: { cpu: '100m', memory: '32Mi' } } })] }),
  },
];
