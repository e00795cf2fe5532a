import { infeasibleExpansion, inUseExpansion, type NodeExpandOptions, type PersistentVolumeClaim, type VolumePlugin } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import { createRecordingRecorder, createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createPluginRegistry } from '../plugin-registry.js';
import { createActualState } from '../state/actual-state.js';
import { podWith } from '../test-harness.js';
import type { OperationContext } from './context.js';
import { expandDuringMount, expandInUse } from './expand-volume.js';
import { decideExpansion } from './expansion-decision.js';

const claimWith = (status: PersistentVolumeClaim['status'], spec: PersistentVolumeClaim['spec'] = {}): PersistentVolumeClaim => ({
  metadata: { name: 'c', namespace: 'ns', uid: 'u' },
  spec,
  status: { capacity: { storage: '1Gi' }, ...status },
});
const two = Quantity.parse('2Gi');

describe('the node expands a volume', () => {
  const expands = (claim: PersistentVolumeClaim) => decideExpansion(claim, two).expand;

  it('without a request of the controller, when the claim is smaller than its persistent volume', () => {
    expect([expands(claimWith({})), expands(claimWith({ capacity: { storage: '2Gi' } }))]).toEqual([true, false]);
  });

  it('when the controller requests it, to the allocated size', () => {
    const turn = (storage: string) => claimWith({ allocatedResources: { storage: '3Gi' }, allocatedResourceStatuses: { storage } });
    expect(
      ['NodeResizePending', 'NodeResizeInProgress', 'NodeResizeInfeasible', 'ControllerResizeInProgress'].map((s) => expands(turn(s))),
    ).toEqual([true, true, false, false]);
    expect(decideExpansion(turn('NodeResizePending'), two)).toMatchObject({ newSize: Quantity.parse('3Gi'), reports: true });
  });

  it('when another node has expanded a shared volume, without writing the claim status', () => {
    const grown = (accessModes: string[]) =>
      claimWith({ capacity: { storage: '2Gi' }, allocatedResources: { storage: '2Gi' } }, { accessModes });
    expect(decideExpansion(grown(['ReadWriteMany']), two)).toMatchObject({ expand: true, reports: false });
    expect(expands(grown(['ReadWriteOnce']))).toBe(false);
  });
});

function setUp(claim: PersistentVolumeClaim, nodeExpand: (options: NodeExpandOptions) => Promise<boolean> = async () => true) {
  const patches: unknown[] = [];
  const recorder = createRecordingRecorder();
  const plugin = { name: 'x/y', expandable: { requiresFSResize: true, nodeExpand } } as unknown as VolumePlugin;
  const persistentVolume = { metadata: { name: 'pv' }, spec: { claimRef: { name: 'c', namespace: 'ns', uid: 'u' } } };
  const spec = { persistentVolume, readOnly: false };
  const resolved = { spec, plugin, attachable: false, deviceMountable: false };
  const actual = createActualState();
  actual.markVolumeAsAttached('x/y/pv', resolved, '');
  actual.initializeClaimSize('x/y/pv', Quantity.parse('1Gi'));
  const context = {
    actual,
    plugins: createPluginRegistry([plugin]),
    nodeName: 'n1',
    claims: { get: async () => claim },
    claimStatuses: {
      async patch(_key: unknown, patch: unknown) {
        patches.push((patch as { status: unknown }).status);
        return claim;
      },
    },
    recorder,
    clock: createVirtualClock(),
  } as unknown as OperationContext;
  const wanted = { volumeName: 'x/y/pv', pod: podWith('p1', []), podUid: 'p1', resolved, persistentVolumeSize: two } as never;
  const request = { wanted, devicePath: '/dev/x', deviceMountPath: '/m', deviceStagePath: '', signal: new AbortController().signal };
  return {
    context,
    request,
    patches,
    recorder,
    actual,
    readOnly: { ...request, wanted: { ...(wanted as object), resolved: { ...resolved, spec: { ...spec, readOnly: true } } } as never },
  };
}

describe('expanding a volume', () => {
  it('writes the claim status before and after, and emits an event on the pod', async () => {
    const { context, request, patches, recorder, actual } = setUp(
      claimWith({
        conditions: [
          { type: 'Resizing', status: 'True' },
          { type: 'Other', status: 'True' },
        ],
      }),
    );
    await expandInUse(context, request);
    expect(patches).toEqual([
      { allocatedResourceStatuses: { storage: 'NodeResizeInProgress' } },
      { capacity: { storage: '2Gi' }, allocatedResourceStatuses: { storage: null }, conditions: [{ type: 'Other', status: 'True' }] },
    ]);
    expect(recorder.events.map(({ reason, object }) => `${reason} ${object.kind}`)).toEqual([
      'FileSystemResizeSuccessful Pod',
      'FileSystemResizeSuccessful PersistentVolumeClaim',
    ]);
    expect(actual.get('x/y/pv')?.claimSize.toString()).toBe('2Gi');
  });

  it('never retries in use if the driver rejects expansion in use', async () => {
    const { context, request, patches, actual } = setUp(claimWith({}), async () => {
      throw inUseExpansion('the volume is in use');
    });
    await expect(expandInUse(context, request)).rejects.toThrow(
      'NodeExpandVolume.NodeExpandVolume failed for volume "pv" : the volume is in use',
    );
    expect(actual.get('x/y/pv')?.inUseExpansionError).toBe(true);
    expect(patches.at(-1)).toMatchObject({ conditions: [{ type: 'NodeResizeError', status: 'True' }] });
  });

  it('reports an infeasible expansion in the claim status', async () => {
    const { context, request, patches } = setUp(claimWith({}), async () => {
      throw infeasibleExpansion('too large');
    });
    await expect(expandDuringMount(context, request)).rejects.toThrow('too large');
    expect(patches.at(-1)).toEqual({ allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } });
  });

  it('waits without an event until the controller requests it, and does not block mounting', async () => {
    const { context, request, patches } = setUp(claimWith({ allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' } }));
    await expect(expandInUse(context, request)).rejects.toMatchObject({ code: 'FailedPrecondition' });
    await expandDuringMount(context, request);
    expect(patches).toEqual([]);
  });

  it('does not expand a read-only volume', async () => {
    const { context, readOnly, recorder, actual } = setUp(claimWith({}));
    await expandDuringMount(context, readOnly);
    expect(recorder.events[0]).toMatchObject({ type: 'Warning', reason: 'FileSystemResizeFailed' });
    expect(actual.get('x/y/pv')?.claimSize.toString()).toBe('2Gi');
  });
});
