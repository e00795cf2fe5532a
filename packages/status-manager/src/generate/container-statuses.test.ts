import { describe, expect, it } from 'vitest';
import { aContainer, anInstance, aPod, aStatus, exited, running, waiting } from '../test-builders.js';
import { type ContainerStatusesInput, convertToApiContainerStatuses } from './container-statuses.js';

const convert = (input: Partial<ContainerStatusesInput> & Pick<ContainerStatusesInput, 'pod'>) =>
  convertToApiContainerStatuses({ field: 'containers', runtimeStatuses: [], runtimeName: 'containerd', ...input });
const one = (input: Parameters<typeof convert>[0]) => {
  const [status] = convert(input);
  if (status === undefined) throw new Error('no status');
  return status;
};

describe('a container that is not in the runtime', () => {
  it('waits to be created, or for the init containers', () => {
    expect(one({ pod: aPod() })).toEqual({
      name: 'app',
      state: { waiting: { reason: 'ContainerCreating' } },
      lastState: {},
      ready: false,
      restartCount: 0,
      image: 'app:1',
      imageID: '',
    });
    expect(one({ pod: aPod({ initContainers: [aContainer('prepare')] }) }).state).toEqual({ waiting: { reason: 'PodInitializing' } });
  });

  it('lists its mounts; recursively read-only only if requested, supported and private', () => {
    const mounts = [
      { name: 'a', mountPath: '/a' },
      { name: 'b', mountPath: '/b', readOnly: true },
      { name: 'c', mountPath: '/c', readOnly: true, recursiveReadOnly: 'IfPossible' },
      { name: 'd', mountPath: '/d', readOnly: true, recursiveReadOnly: 'Enabled', mountPropagation: 'HostToContainer' },
    ];
    const pod = aPod({ containers: [aContainer('app', { volumeMounts: mounts })] });
    const modes = (supportsRecursiveReadOnly: boolean) =>
      one({ pod, supportsRecursiveReadOnly }).volumeMounts?.map(({ recursiveReadOnly }) => recursiveReadOnly);
    expect(modes(true)).toEqual([undefined, 'Disabled', 'Enabled', 'Disabled']);
    expect(modes(false)).toEqual([undefined, 'Disabled', 'Disabled', 'Disabled']);
  });

  it('keeps the whole previous status of a terminated container, readiness included', () => {
    const old = aStatus('app', exited(3), { ready: true, restartCount: 4, containerID: 'containerd://removed' });
    expect(one({ pod: aPod(), oldStatuses: [old] })).toBe(old);
  });

  it('with an unobserved exit waits, with exit code 137 as last state and one more restart', () => {
    const status = one({ pod: aPod(), oldStatuses: [aStatus('app', running, { restartCount: 2 })] });
    expect(status).toMatchObject({
      state: waiting,
      restartCount: 3,
      lastState: {
        terminated: {
          exitCode: 137,
          reason: 'ContainerStatusUnknown',
          message: 'The container could not be located when the pod was deleted.  The container used to be Running',
        },
      },
    });
  });

  it('does not count a restart in a pod that is being deleted', () => {
    const pod = aPod({}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect(one({ pod, oldStatuses: [aStatus('app', running, { restartCount: 2 })] }).restartCount).toBe(2);
  });

  it('keeps a known last state', () => {
    const old = aStatus('app', running, { restartCount: 2, lastState: exited(9) });
    expect(one({ pod: aPod(), oldStatuses: [old] })).toMatchObject({ restartCount: 2, lastState: exited(9) });
  });

  it('was removed for a restart of all containers, unless it had not been started', () => {
    const removed = { reason: 'RestartingAllContainers', message: 'The container is removed because RestartAllContainers in place' };
    for (const state of [running, exited(3)]) {
      const old = aStatus('app', state, { restartCount: 1 });
      expect(one({ pod: aPod(), podRestarting: true, oldStatuses: [old] })).toMatchObject({
        state: { waiting: removed },
        lastState: { terminated: { ...removed, exitCode: 137 } },
        restartCount: 2,
      });
    }
    expect(one({ pod: aPod(), podRestarting: true, oldStatuses: [aStatus('app', waiting)] }).state).toEqual(waiting);
  });
});

describe('a container that is in the runtime', () => {
  it('shows the image reference as image ID, not the runtime’s internal ID', () => {
    expect(one({ pod: aPod(), runtimeStatuses: [anInstance('app', 'running')] })).toMatchObject({
      image: 'app:1',
      imageID: 'app@sha256:ref',
      containerID: 'containerd://app-0',
      state: running,
    });
  });

  it('waits without a reason while created, not started', () => {
    expect(one({ pod: aPod(), runtimeStatuses: [anInstance('app', 'created')] }).state).toEqual({ waiting: {} });
  });

  it('shows the newest instance, the previous one as last state, and no older ones', () => {
    const runtimeStatuses = [
      anInstance('app', 'running', { restartCount: 2 }),
      anInstance('app', 'exited', { restartCount: 1, exitCode: 1 }),
      anInstance('app', 'exited', { restartCount: 0, exitCode: 2 }),
    ];
    expect(one({ pod: aPod(), runtimeStatuses })).toMatchObject({
      restartCount: 2,
      lastState: { terminated: { exitCode: 1, reason: 'Error', containerID: 'containerd://app-1', finishedAt: '2026-01-01T00:00:05Z' } },
    });
  });

  it('never counts fewer restarts than the previous status, and may count more than the runtime', () => {
    const runtimeStatuses = [anInstance('app', 'running', { restartCount: 1 })];
    const restarts = (old: Parameters<typeof aStatus>[1]) =>
      one({ pod: aPod(), runtimeStatuses, oldStatuses: [aStatus('app', old, { restartCount: 5 })] }).restartCount;
    expect(restarts(waiting)).toBe(5);
    expect(restarts(exited(0))).toBe(6);
  });

  it('uses the previous termination as last state if it is of another instance', () => {
    const runtimeStatuses = [anInstance('app', 'running', { restartCount: 1 })];
    const old = aStatus('app', exited(7), { containerID: 'containerd://app-0', lastState: exited(8) });
    expect(one({ pod: aPod(), runtimeStatuses, oldStatuses: [old] }).lastState).toEqual(exited(7));
    const same = { ...old, containerID: 'containerd://app-1' };
    expect(one({ pod: aPod(), runtimeStatuses, oldStatuses: [same] }).lastState).toEqual(exited(8));
  });

  it('with an unobserved exit terminates if it ran and the runtime reports an unknown state', () => {
    const input = { pod: aPod(), runtimeStatuses: [anInstance('app', 'unknown')], oldStatuses: [aStatus('app', running)] };
    const message = 'The container could not be located when the pod was terminated';
    expect(one(input)).toMatchObject({
      restartCount: 1,
      state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown', message } },
    });
    expect(one({ ...input, podRestarting: true }).state?.terminated?.reason).toBe('RestartingAllContainers');
    expect(one({ ...input, oldStatuses: [] }).state).toEqual({ waiting: {} });
  });

  it('reports its user, its allocated requests and its previous mounts', () => {
    const volumeMounts = [{ name: 'v', mountPath: '/v' }];
    const pod = aPod({ containers: [aContainer('app', { resources: { requests: { cpu: '100m' } } })] });
    const user = { uid: 1000, gid: 1000, supplementalGroups: [1000] };
    const status = one({
      pod,
      runtimeStatuses: [anInstance('app', 'running', { user })],
      oldStatuses: [aStatus('app', running, { volumeMounts })],
      allocatedResources: { app: { requests: { cpu: '50m' } } },
    });
    expect(status).toMatchObject({ user: { linux: user }, allocatedResources: { cpu: '50m' }, volumeMounts });
  });
});

describe('waiting reasons', () => {
  const waitingReasons = { app: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } };

  it('replace the state of a container that will restart; its termination becomes the last state', () => {
    const runtimeStatuses = [anInstance('app', 'exited', { exitCode: 1 })];
    expect(one({ pod: aPod(), runtimeStatuses, waitingReasons })).toMatchObject({
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 10s' } },
      lastState: { terminated: { exitCode: 1 } },
    });
  });

  it('do not apply to one that runs, will not restart, or belongs to a pod that is being deleted', () => {
    const ran = [anInstance('app', 'exited')];
    expect(one({ pod: aPod(), runtimeStatuses: [anInstance('app', 'running')], waitingReasons }).state).toEqual(running);
    expect(one({ pod: aPod({ restartPolicy: 'OnFailure' }), runtimeStatuses: ran, waitingReasons }).state?.terminated).toBeDefined();
    const deleted = aPod({}, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect(one({ pod: deleted, runtimeStatuses: ran, waitingReasons }).state?.terminated).toBeDefined();
  });
});

describe('init containers', () => {
  const pod = aPod({ initContainers: [aContainer('z'), aContainer('a'), aContainer('side', { restartPolicy: 'Always' })] });
  const convertInit = (runtimeStatuses: ContainerStatusesInput['runtimeStatuses'], more: Partial<ContainerStatusesInput> = {}) =>
    convert({ pod, field: 'initContainers', runtimeStatuses, ...more });

  it('are in the order of the spec, regular containers by name', () => {
    expect(convertInit([]).map(({ name }) => name)).toEqual(['z', 'a', 'side']);
    const two = aPod({ containers: [aContainer('y'), aContainer('x')] });
    expect(convert({ pod: two }).map(({ name }) => name)).toEqual(['x', 'y']);
  });

  it('that were removed from the runtime are completed once a regular container was created; sidecars are not', () => {
    const [z, , side] = convertInit([anInstance('app', 'created')]);
    expect(z?.state?.terminated).toMatchObject({
      exitCode: 0,
      reason: 'Completed',
      message: 'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally',
    });
    expect(side?.state?.waiting).toBeDefined();
    expect(convertInit([anInstance('app', 'unknown')])[0]?.state?.waiting).toBeDefined();
  });

  it('that succeeded stay terminated, also with an entry in the reason cache', () => {
    const waitingReasons = { z: { reason: 'ImagePullBackOff', message: 'm' } };
    expect(convertInit([anInstance('z', 'exited')], { waitingReasons })[0]?.state?.terminated).toBeDefined();
    expect(convertInit([anInstance('z', 'exited', { exitCode: 1 })], { waitingReasons })[0]?.state?.waiting?.reason).toBe(
      'ImagePullBackOff',
    );
  });
});
