import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { AgentProcess } from './agent-process.js';

interface UnfitPod {
  spec: object;
  container?: object;
  /** The event of the rejection: the kubelet's reason and message. */
  rejection: RegExp;
}

const port = { hostNetwork: true };
const ports = [{ containerPort: 47_808 }];

/** Pods that no node without a cluster runs as a kubelet does not: static ones are critical, so what they lack others would have to free. */
const unfitPods: Record<string, UnfitPod> = {
  'too-large': {
    spec: {},
    container: { resources: { requests: { cpu: '1000' } } },
    rejection:
      /^UnexpectedAdmissionError: Unexpected error while attempting to recover from admission failure: preemption: error finding a set of pods to preempt: no set of running pods found to reclaim resources: \[\(res: cpu, q: \d+\), \]$/,
  },
  elsewhere: {
    spec: { nodeSelector: { 'kubernetes.io/hostname': 'another' } },
    rejection: /^NodeAffinity: Predicate NodeAffinity failed: node\(s\) didn't match Pod's node affinity\/selector$/,
  },
  'port-taken': {
    spec: port,
    container: { ports },
    rejection: /^NodePorts: Predicate NodePorts failed: node\(s\) didn't have free ports for the requested pod ports$/,
  },
  'unsafe-sysctl': {
    spec: { securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '65536' }] } },
    rejection: /^SysctlForbidden: forbidden sysctl: "kernel\.msgmax" not allowlisted$/,
  },
};

export const unfitPodNames: readonly string[] = Object.keys(unfitPods);

/**
 * Gives the agent, whose node has the label disk=ssd, pods that do not fit its node and two that do; one of these has the port that another
 * one asks for. Resolves when the agent has reported each pod's outcome.
 */
export async function expectRejections(agent: AgentProcess, manifests: string, image: string): Promise<void> {
  const write = (name: string, spec: object, container: object = {}) => {
    const main = { name: 'main', image, imagePullPolicy: 'IfNotPresent', command: ['sleep', '1000'], ...container };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { terminationGracePeriodSeconds: 0, containers: [main], ...spec },
    };
    writeFileSync(join(manifests, `${name}.json`), JSON.stringify(pod));
  };
  const becomes = (name: string, phase: string) =>
    agent.line(`${name} ${phase}`, ({ pod, msg }) => pod === `default/${name}-e2e` && msg === `phase ${phase}`);
  write('port-holder', { ...port, nodeSelector: { disk: 'ssd', 'kubernetes.io/os': 'linux' } }, { ports });
  await becomes('port-holder', 'Running');
  for (const [name, { spec, container }] of Object.entries(unfitPods)) write(name, spec, container);
  for (const [name, { rejection }] of Object.entries(unfitPods)) {
    await becomes(name, 'Failed');
    const events = agent.lines.filter(({ pod, level }) => pod === `default/${name}-e2e` && level === 'warn');
    expect(events.map(({ msg }) => msg)).toEqual([expect.stringMatching(rejection)]);
  }
}
