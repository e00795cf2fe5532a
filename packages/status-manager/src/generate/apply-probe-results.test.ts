import type { ContainerStatus, Pod, ProbeResult, ProbeView } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { aContainer, aPod, aStatus, epoch, exited, running, waiting } from '../test-builders.js';
import { applyProbeResults } from './apply-probe-results.js';

const id = 'containerd://app-0';
const probe = { exec: { command: ['true'] } };
const probed = aPod({ containers: [aContainer('app', { readinessProbe: probe })] });

function view(results: { readiness?: ProbeResult; startup?: ProbeResult; workers?: string[]; startedAt?: number } = {}): ProbeView {
  return {
    readiness: (containerId) => (containerId === id ? results.readiness : undefined),
    startup: (containerId) => (containerId === id ? results.startup : undefined),
    hasWorker: (name, kind) => results.workers?.includes(`${name}/${kind}`) ?? false,
    startedAt: results.startedAt ?? epoch,
  };
}

function apply(status: ContainerStatus, probes?: ProbeView, pod: Pod = probed) {
  const result = applyProbeResults(pod, { containerStatuses: [{ ...status, containerID: id }] }, probes);
  const [container] = result.status.containerStatuses ?? [];
  return { started: container?.started, ready: container?.ready, probe: result.containersToProbe };
}

describe('started and ready', () => {
  it('are true for a running container without probes', () => {
    expect(apply(aStatus('app', running))).toEqual({ started: true, ready: true, probe: [] });
    expect(apply(aStatus('app', waiting))).toMatchObject({ started: false, ready: false });
    expect(apply(aStatus('app', running), view())).toMatchObject({ started: true, ready: true });
  });

  it('wait for the startup probe; a container that is not started keeps its readiness', () => {
    const workers = ['app/startup'];
    expect(apply(aStatus('app', running), view({ workers }))).toMatchObject({ started: false, ready: false });
    expect(apply(aStatus('app', running, { started: true }), view({ workers }))).toMatchObject({ started: true });
    expect(apply(aStatus('app', running, { started: true }), view({ startup: 'Unknown' }))).toMatchObject({ started: false });
    expect(apply(aStatus('app', running), view({ startup: 'Success', workers }))).toMatchObject({ started: true });
    expect(apply(aStatus('app', exited(0), { ready: true }), view())).toMatchObject({ started: false, ready: true });
  });

  it('wait for the readiness probe and request a probe at once', () => {
    const workers = ['app/readiness'];
    expect(apply(aStatus('app', running), view({ workers }))).toEqual({ started: true, ready: false, probe: ['app'] });
    expect(apply(aStatus('app', running), view({ workers, readiness: 'Failure' }))).toMatchObject({ ready: false, probe: ['app'] });
    expect(apply(aStatus('app', running), view({ workers, readiness: 'Success' }))).toEqual({ started: true, ready: true, probe: [] });
  });

  it('of a container that ran before the prober keep the pod’s readiness until the first result', () => {
    const startedAt = epoch + 60_000;
    const workers = ['app/readiness'];
    const wasReady: Pod = { ...probed, status: { conditions: [{ type: 'Ready', status: 'True' }] } };
    expect(apply(aStatus('app', running), view({ startedAt, workers }), wasReady)).toMatchObject({ ready: true, probe: ['app'] });
    expect(apply(aStatus('app', running), view({ startedAt, workers }))).toMatchObject({ ready: false });
    expect(apply(aStatus('app', running), view({ startedAt, workers, readiness: 'Failure' }), wasReady)).toMatchObject({ ready: false });
    expect(apply(aStatus('app', running), view({ startedAt, workers, readiness: 'Success' }))).toMatchObject({ ready: true });
    const justBefore = view({ startedAt: epoch + 11_000, workers });
    expect(apply(aStatus('app', running), justBefore, wasReady)).toMatchObject({ ready: false });
  });

  it('reuse the status object of an unchanged container', () => {
    const app = aStatus('app', running, { started: true, ready: true });
    expect(applyProbeResults(probed, { containerStatuses: [app] }, undefined).status.containerStatuses?.[0]).toBe(app);
  });
});

describe('init containers', () => {
  const pod = aPod({ initContainers: [aContainer('prepare'), aContainer('side', { restartPolicy: 'Always', readinessProbe: probe })] });

  it('are ready after exit code 0; sidecars as regular containers', () => {
    const apply = (statuses: ContainerStatus[]) =>
      applyProbeResults(pod, { initContainerStatuses: statuses }, view({ workers: ['side/readiness'] }));
    const flags = (statuses: ContainerStatus[]) =>
      apply(statuses).status.initContainerStatuses?.map(({ started, ready }) => [started, ready]);
    expect(flags([aStatus('prepare', exited(0)), aStatus('side', running)])).toEqual([
      [false, true],
      [true, false],
    ]);
    expect(flags([aStatus('prepare', exited(1)), aStatus('side', waiting)])).toEqual([
      [false, false],
      [false, false],
    ]);
    expect(apply([aStatus('prepare', exited(0)), aStatus('side', running)]).containersToProbe).toEqual(['side']);
  });

  it('at another position than in the spec only get `started`', () => {
    const { status } = applyProbeResults(pod, { initContainerStatuses: [aStatus('side', running)] }, undefined);
    expect(status.initContainerStatuses?.[0]).toMatchObject({ started: true, ready: false });
  });
});
