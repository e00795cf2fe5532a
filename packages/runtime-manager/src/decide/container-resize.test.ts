import type { Container, ResourceRequirements, RuntimeContainerStatus, RuntimeSandboxStatus } from '@nodeagent/api';
import { buildPod } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { computePodActions } from './compute-pod-actions.js';
import { hashContainer } from './hash-container.js';
import { isPodResizeInProgress } from './resize-in-progress.js';

const podLevel: ResourceRequirements = { requests: { cpu: '50m', memory: '64Mi' }, limits: { cpu: '200m', memory: '128Mi' } };
const smallerPodLevel: ResourceRequirements = { ...podLevel, limits: { cpu: '100m', memory: '64Mi' } };
const request: ResourceRequirements = { requests: { cpu: '20m' } };
const own: ResourceRequirements = { requests: { cpu: '20m', memory: '32Mi' }, limits: { cpu: '30m', memory: '32Mi' } };
const restarts = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }];

/** A sidecar and three containers without limits, one with limits, in a pod with pod-level limits. */
const pod = buildPod({
  name: 'p',
  initContainers: [{ name: 'side', restartPolicy: 'Always' }],
  containers: [
    { name: 'plain' },
    { name: 'requests', resources: request },
    { name: 'restarts', resizePolicy: restarts },
    { name: 'limited', resources: own },
  ],
  resources: podLevel,
});
const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];

const sandbox: RuntimeSandboxStatus = {
  id: 's',
  attempt: 0,
  state: 'ready',
  createdAt: 1n,
  networkMode: 'POD',
  runtimeHandler: '',
  network: { ip: '10.0.0.1', additionalIps: [] },
};
const running = (container: Container): RuntimeContainerStatus => ({
  id: `${container.name}-1`,
  name: container.name,
  state: 'running',
  createdAt: 2n,
  exitCode: 0,
  image: '',
  imageId: '',
  imageRef: '',
  hash: hashContainer(container),
  restartCount: 0,
  reason: '',
  message: '',
  podSandboxId: sandbox.id,
});

function decide(recorded: Record<string, ResourceRequirements>, actuatedPod = podLevel) {
  const input = { pod, status: { sandboxStatuses: [sandbox], containerStatuses: containers.map(running) } };
  const actuated = new Map<string, ResourceRequirements>(
    Object.entries({ plain: {}, requests: request, restarts: {}, limited: own, side: {}, ...recorded }),
  );
  const probeResults = { liveness: () => undefined, startup: () => undefined };
  const actions = computePodActions({ ...input, probeResults, actuated, actuatedPod });
  return {
    update: Object.fromEntries(
      Object.entries(actions.containersToUpdate).map(([resource, list]) => [resource, list.map(({ name }) => name)]),
    ),
    restart: actions.containersToKill.map(({ name }) => name),
    podLevel: actions.updatePodLevelResources,
    inProgress: isPodResizeInProgress({ ...input, actuated, actuatedPod }),
  };
}

const nothing = { update: {}, restart: [], podLevel: false, inProgress: false };

/** As kubelet 1.36.2 decided with these resources in its actuated_pods_state. */
describe('a container without limits in a pod with pod-level limits', () => {
  it('is unchanged if its actuated resources have no limits either', () => {
    expect(decide({})).toEqual(nothing);
  });

  it('is unchanged if its actuated resources have some or all limits of the pod', () => {
    const limits = podLevel.limits ?? {};
    expect(decide({ plain: { limits }, requests: { ...request, limits }, restarts: { limits }, side: { limits } })).toEqual(nothing);
    expect(decide({ plain: { limits: { cpu: '200m' } }, restarts: { limits: { memory: '128Mi' } } })).toEqual(nothing);
  });

  it('changes with the limits of the pod, a sidecar too', () => {
    const changed = {
      update: { memory: ['side', 'plain', 'requests'], cpu: ['side', 'plain', 'requests'] },
      restart: ['restarts'],
      podLevel: true,
      inProgress: true,
    };
    expect(decide({}, smallerPodLevel)).toEqual(changed);
    const limits = smallerPodLevel.limits ?? {};
    const recorded = { plain: { limits }, requests: { ...request, limits }, restarts: { limits }, side: { limits } };
    expect(decide(recorded, smallerPodLevel)).toEqual(changed);
  });

  it('changes with its own request', () => {
    expect(decide({ requests: {} })).toEqual({ ...nothing, update: { cpu: ['requests'] }, inProgress: true });
  });
});

it('a container that is given limits below those of its pod changes', () => {
  const update = { memory: ['limited'], cpu: ['limited'] };
  expect(decide({ limited: request })).toEqual({ ...nothing, update, inProgress: true });
});

it('a resize of the pod alone is in progress until it is applied', () => {
  const requests = { ...podLevel, requests: { cpu: '60m', memory: '64Mi' } };
  expect(decide({}, requests)).toEqual({ ...nothing, podLevel: true, inProgress: true });
});
