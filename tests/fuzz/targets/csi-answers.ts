import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiErrorCodes, type CSINode, type KubeObject, type Node, systemClock, type VolumeSpec } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import { csiErrorCodes } from '@nodeagent/csi';
import { createCsi } from '@nodeagent/csi/node';
import { csiNodeService, encodeMessage } from '@nodeagent/plugin-api';
import fc from 'fast-check';
import { fromBase64, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { withGrpcAnswers } from '../generate/grpc-answers.js';
import { checkPluginMessage } from '../generate/plugin-messages.js';
import { oddText } from '../generate/text.js';
import { promise, promisePlain, promiseSame, resultUnless } from '../promises.js';
import { fuzzTarget } from '../target.js';

const { nodeGetInfo, nodeGetCapabilities, nodeGetVolumeStats, nodeExpandVolume, nodePublishVolume, nodeStageVolume } = csiNodeService;
type Method = 'nodeGetInfo' | 'nodeGetCapabilities' | 'nodeGetVolumeStats' | 'nodeExpandVolume' | 'nodePublishVolume' | 'nodeStageVolume';

const capability = (type: 'GET_VOLUME_STATS' | 'VOLUME_CONDITION' | 'EXPAND_VOLUME' | 'STAGE_UNSTAGE_VOLUME') => ({ rpc: { type } });
const int64 = fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.constantFrom(0n, 1n, -1n, 2n ** 31n, 2n ** 63n - 1n));
/** Answers of a driver, most of them valid; their numbers and texts are arbitrary. */
const valid = {
  nodeGetInfo: fc
    .record({
      nodeId: fc.oneof(fc.constant('i-1'), oddText),
      maxVolumesPerNode: int64,
      accessibleTopology: fc.record({
        segments: fc.dictionary(fc.oneof(fc.constantFrom('zone', '__proto__', 'host'), oddText), oddText, {
          noNullPrototype: true,
          maxKeys: 3,
        }),
      }),
    })
    .map((answer) => encodeMessage(nodeGetInfo.response, answer)),
  nodeGetCapabilities: fc
    .subarray(['GET_VOLUME_STATS', 'VOLUME_CONDITION', 'EXPAND_VOLUME', 'STAGE_UNSTAGE_VOLUME'] as const)
    .map((types) => encodeMessage(nodeGetCapabilities.response, { capabilities: types.map(capability) })),
  nodeGetVolumeStats: fc
    .record({
      usage: fc.array(fc.record({ available: int64, total: int64, used: int64, unit: fc.constantFrom('UNKNOWN', 'BYTES', 'INODES') }), {
        maxLength: 3,
      }),
      volumeCondition: fc.record({ abnormal: fc.boolean(), message: oddText }),
    })
    .map((answer) => encodeMessage(nodeGetVolumeStats.response, answer)),
  nodeExpandVolume: int64.map((capacityBytes) => encodeMessage(nodeExpandVolume.response, { capacityBytes })),
  nodePublishVolume: fc.constant(encodeMessage(nodePublishVolume.response, {})),
  nodeStageVolume: fc.constant(encodeMessage(nodeStageVolume.response, {})),
} satisfies Record<Method, fc.Arbitrary<Buffer>>;

const spec: VolumeSpec = {
  persistentVolume: { metadata: { name: 'pv' }, spec: { accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: 'v' } } },
  readOnly: false,
};
const codes = [
  'PluginCallFailed',
  ...Object.values(csiErrorCodes),
  apiErrorCodes.uncertainProgress,
  apiErrorCodes.transientOperationFailure,
];

/** One object of an API server. */
function storeOf<T extends KubeObject>(object: T) {
  let current = object;
  const put = async (next: T) => {
    current = next;
    return next;
  };
  return { get: async () => current, create: put, update: put, delete: async () => {} };
}

async function checkDriver(socketPath: string, rootDir: string): Promise<void> {
  const { signal } = new AbortController();
  const nodes = storeOf<Node>({ metadata: { name: 'n', uid: 'n1' } });
  const csiNodes = storeOf<CSINode>({ metadata: { name: 'n' }, spec: { drivers: [] } });
  const csi = createCsi({
    rootDir,
    nodeName: 'n',
    isMountPoint: async () => false,
    nodes,
    csiNodes,
    // Failed writes are retried without a delay.
    clock: { ...systemClock, sleep: async () => {} },
  });
  const isRegistered = await resultUnless(codes, 'register', async () => {
    await csi.registration.register('d', socketPath, ['1.0.0'], signal);
    return true;
  });
  const node = await nodes.get();
  const csiNode = await csiNodes.get();
  promisePlain([node, csiNode], 'the objects of the node');
  promiseSame(csiNode.spec.drivers?.length, isRegistered ? 1 : 0, 'the number of reported drivers');
  for (const { allocatable } of csiNode.spec.drivers ?? []) {
    const { count = 1 } = allocatable ?? {};
    promise(Number.isInteger(count) && count > 0 && count < 2 ** 31, `a limit of ${count} volumes`);
  }
  if (!isRegistered) return;
  const mounter = await csi.plugin.mounter(spec, { metadata: { name: 'web', uid: 'u1' } });
  await resultUnless(codes, 'setUp', () => mounter.setUp({ isRemount: false, reconstructed: false, signal }));
  const usage = await resultUnless(codes, 'usage', () => mounter.usage?.(signal));
  if (usage !== undefined) promise(typeof usage.capacityBytes === 'bigint', 'the capacity of a volume');
  const [newSize, oldSize] = [Quantity.parse('2Gi'), Quantity.parse('1Gi')];
  const paths = { devicePath: '', deviceMountPath: '/mount', deviceStagePath: '/stage' };
  await resultUnless(codes, 'nodeExpand', () => csi.plugin.expandable?.nodeExpand({ spec, newSize, oldSize, ...paths, signal }));
  await csi.registration.deregister('d', socketPath, signal);
  promiseSame((await csiNodes.get()).spec.drivers, [], 'the drivers after the driver was removed');
}

export const csiAnswers = fuzzTarget({
  name: 'csi-answers',
  promise: 'answers of a CSI driver give plain objects at the API server, or documented errors that leave no driver behind',
  runs: 250,
  inputs: fc.record(
    Object.fromEntries(
      Object.entries(valid).map(([method, answer]) => [
        method,
        fc.oneof({ weight: 4, arbitrary: answer }, { weight: 1, arbitrary: mutatedBytes(answer) }).map(toBase64),
      ]),
    ) as Record<Method, fc.Arbitrary<string>>,
  ),
  async check(input) {
    const methods = Object.entries(input).map(([name, answer]) => ({ method: csiNodeService[name as Method], answer: fromBase64(answer) }));
    for (const { method, answer } of methods) checkPluginMessage(method.response, answer);
    const rootDir = mkdtempSync(join(tmpdir(), 'nodeagent-fuzz-'));
    try {
      const answers = Object.fromEntries(methods.map(({ method, answer }) => [method.path, answer]));
      await withGrpcAnswers({ answers }, (socketPath) => checkDriver(socketPath, rootDir));
    } finally {
      rmSync(rootDir, { recursive: true, force: true });
    }
  },
});
