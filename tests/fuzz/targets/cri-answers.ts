import { errorMessage, type Pod } from '@nodeagent/api';
import type { ImageService, RuntimeService } from '@nodeagent/cri-api';
import { criError } from '@nodeagent/cri-client';
import { criImageFsStats, criImages } from '@nodeagent/image-gc';
import { diffPods, eventPodUid, eventStage, runningPodUids } from '@nodeagent/pleg/decisions';
import { type CriRuntime, createMemoryFiles, createRuntimeManager } from '@nodeagent/runtime-manager';
import { convertPodStatusToRunningPod } from '@nodeagent/runtime-manager/decisions';
import { parseSummary, statsErrorCodes, summaryJson } from '@nodeagent/stats';
import { createStatsProvider, type FileSystems } from '@nodeagent/stats/node';
import { generateApiPodStatus } from '@nodeagent/status-manager';
import fc from 'fast-check';
import { imageServiceMethods, runtimeServiceMethods } from '../../../packages/cri-client/src/generated/codec.js';
import { containerAnnotations, containerStatusAnswer, criAnswers, criFailures } from '../examples/cri-answers.js';
import { fromBase64, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { oddText } from '../generate/text.js';
import { BrokenPromise, promise, promiseDocumented, promisePlain, promiseSame, resultUnless } from '../promises.js';
import { fuzzTarget } from '../target.js';

type Method = keyof typeof criAnswers;
/** The changed answers; all others are valid, so that readers get past the first one. */
type Answers = Readonly<Partial<Record<Method, string>>>;

const methods = { ...runtimeServiceMethods, ...imageServiceMethods };
const codecs = Object.fromEntries(Object.values(methods).map(({ name, response }) => [name, response])) as unknown as Record<
  Method,
  { encode(message: unknown): Buffer; decode(bytes: Buffer): unknown }
>;

/** The message of an answer. A message that is decoded is complete: encoded and decoded again it is the same. */
function decoded(method: Method, bytes: Buffer): unknown {
  const received = Buffer.from(bytes);
  let message: unknown;
  try {
    message = codecs[method].decode(received);
  } catch (error) {
    promise(error instanceof Error && !/call stack/.test(error.message), `decoding an answer to ${method}: ${error}`);
    throw criError('CRI_INTERNAL', `Response message parsing error: ${errorMessage(error)}`);
  }
  received.fill(0xff);
  promiseSame(codecs[method].decode(codecs[method].encode(message)), message, `the answer to ${method} encoded and decoded again`);
  return message;
}

const answerOf = (answers: Answers, method: Method): Buffer => {
  const changed = answers[method];
  return changed === undefined ? criAnswers[method] : fromBase64(changed);
};

/** A runtime that gives these answers to any request. */
function runtimeOf(answers: Answers): RuntimeService & ImageService {
  const calls = Object.entries(methods).map(([key, { name }]) => [
    key,
    async () => {
      if (!Object.hasOwn(criAnswers, name)) throw criError('CRI_UNIMPLEMENTED', `unknown method ${name}`);
      return decoded(name as Method, answerOf(answers, name as Method));
    },
  ]);
  return Object.fromEntries(calls);
}

const pod: Pod = {
  metadata: { name: 'web', namespace: 'default', uid: 'u1' },
  spec: { containers: [{ name: 'app', image: 'nginx', resources: { limits: { cpu: '1', memory: '1Gi' } } }] },
};
const files = createMemoryFiles();
files.append('/termination', 'ended');
files.append('/log', '2026-01-01T00:00:00Z stderr F failed\n');

const fileSystems: FileSystems = {
  usage: async () => ({ capacityBytes: 9n, availableBytes: 5n, usedBytes: 4n, inodes: 9n, inodesFree: 5n }),
  filesIn: async () => ({ bytes: 1n, inodes: 1n }),
  file: async () => ({ bytes: 1n, inodes: 1n }),
};
/** Only the root has a cgroup, so that only what the runtime reports counts. */
const rootSample = {
  time: 0,
  monotonic: 0,
  hasCpu: true,
  cpu: { usageNanos: 0n },
  hasMemory: true,
  memory: {
    usageBytes: 0n,
    workingSetBytes: 0n,
    rssBytes: 0n,
    inactiveFileBytes: 0n,
    pageFaults: 0n,
    majorPageFaults: 0n,
    limitBytes: 0n,
    swapLimitBytes: 0n,
  },
};
const noCgroups = {
  version: () => 2 as const,
  find: () => ({ pods: new Map(), containers: new Map() }),
  sample: (path: string) => (path === '/' ? rootSample : undefined),
  now: () => 0,
  createdAt: () => undefined,
  processes: () => [],
  interfaces: () => undefined,
  bootTime: () => undefined,
  processLimits: () => ({}),
  diskNames: () => new Map<string, string>(),
};

async function checkPods(runtime: CriRuntime): Promise<void> {
  const manager = createRuntimeManager({
    cri: runtime,
    files,
    podLogsDir: '/var/log/pods',
    podDir: (uid) => `/var/lib/kubelet/pods/${uid}`,
    images: { ensureImageExists: async ({ image }) => ({ imageRef: image }) },
    environment: async () => ({}),
    dns: () => ({ servers: [], searches: [], options: [] }),
    hooks: { run: async () => {} },
  });
  const codes = [...criFailures, 'InvalidRuntimeAnswer', 'RuntimeVersionNotSupported'];
  await resultUnless(codes, 'checkRuntime', () => manager.checkRuntime());
  const health = await resultUnless(codes, 'status', () => manager.status());
  if (health !== undefined) promisePlain(health, 'the health of the runtime');
  await resultUnless(codes, 'execUrl', () => manager.execUrl('c1', ['true'], { stdin: false, stdout: true, stderr: true, tty: false }));
  const pods = (await resultUnless(codes, 'getPods', () => manager.getPods(true))) ?? [];
  promiseSame(diffPods(pods, pods), [], 'the events between equal listings');
  for (const found of pods) {
    const status = await resultUnless(codes, 'getPodStatus', () => manager.getPodStatus(found));
    if (status === undefined) continue;
    promise(convertPodStatusToRunningPod(status).uid === found.uid, 'the UID of a running pod');
    promise([...runningPodUids([[found.uid, { status, error: undefined }]])].length <= 1, 'a pod that runs twice');
    const reported = generateApiPodStatus({ pod, runtimeStatus: status, podIsTerminal: false, now: 0, runtimeName: 'r' });
    promisePlain(reported, 'the reported status');
    const { results } = await manager.killPod(undefined, convertPodStatusToRunningPod(status));
    for (const { error } of results) {
      if (error === undefined) continue;
      const { cause } = promiseDocumented(error, ['KillContainerError', 'KillPodSandboxError'], 'killPod');
      promiseDocumented(cause, codes, 'the cause of a failed killPod');
    }
  }
}

async function checkStats(runtime: RuntimeService & ImageService, source: 'cri' | 'cri-pods'): Promise<void> {
  const provider = createStatsProvider({ nodeName: 'n', cri: { runtime, image: runtime }, source, fileSystems, reader: noCgroups });
  const codes = [...criFailures, statsErrorCodes.imageFsMissing];
  const summary = await resultUnless(codes, 'summary', () => provider.summary({ fresh: true, signal: new AbortController().signal }));
  if (summary === undefined) return;
  const text = summaryJson(summary);
  promiseSame(summaryJson(parseSummary(text)), text, 'the parsed summary');
}

async function checkImages(runtime: RuntimeService & ImageService): Promise<void> {
  const signal = new AbortController().signal;
  const { images, imagesInUse } = criImages({ image: runtime, runtime });
  const imageFsStats = criImageFsStats({ image: runtime, fileSystem: async () => ({ capacityBytes: 1, availableBytes: 1 }) });
  await resultUnless(criFailures, 'listImages', () => images.listImages(signal));
  const used = await resultUnless(criFailures, 'imagesInUse', () => imagesInUse(signal));
  for (const image of used ?? []) promise(typeof image === 'string', 'the name of a used image');
  await resultUnless([...criFailures, 'ImageFsUnknown'], 'imageFsStats', () => imageFsStats(signal));
}

function checkEvent(answer: Buffer): void {
  let event: Parameters<typeof eventPodUid>[0] & Parameters<typeof eventStage>[0];
  try {
    event = decoded('GetContainerEvents', answer) as typeof event;
  } catch (error) {
    if (error instanceof BrokenPromise) throw error;
    return;
  }
  promise(eventStage(event) >= 0 && eventPodUid(event) !== '', 'the pod of an event');
}

const changedBytes = fc
  .constantFrom(...(Object.keys(criAnswers) as Method[]))
  .chain((method) => mutatedBytes(fc.constant(criAnswers[method])).map((bytes) => [method, toBase64(bytes)]));
const changedContainer = fc
  .record({
    annotations: fc.dictionary(
      fc.constantFrom(...containerAnnotations),
      fc.oneof(oddText, fc.constantFrom('-1', '07', '9'.repeat(400), 'null', '5', '"text"', '{"sleep":{"seconds":-1}}', '{"exec":null}')),
      { noNullPrototype: true },
    ),
    state: fc.constantFrom('CONTAINER_RUNNING', 'CONTAINER_EXITED'),
    startedAt: fc.constantFrom('0', '-1', '9223372036854775807', '-9223372036854775808'),
  })
  .map((changes) => ['ContainerStatus', toBase64(containerStatusAnswer(changes))]);
const answers: fc.Arbitrary<Answers> = fc
  .array(fc.oneof({ weight: 2, arbitrary: changedBytes }, { weight: 1, arbitrary: changedContainer }), { maxLength: 4 })
  .map((changed) => Object.fromEntries(changed));

export const criAnswersTarget = fuzzTarget({
  name: 'cri-answers',
  promise:
    'an answer of a runtime decodes to a message that encodes to the same, or fails; its readers give plain results or documented errors',
  runs: 700,
  inputs: fc.record({ answers, source: fc.constantFrom<'cri' | 'cri-pods'>('cri', 'cri-pods') }),
  async check({ answers, source }) {
    const runtime = runtimeOf(answers);
    await checkPods(runtime);
    await checkStats(runtime, source);
    await checkImages(runtime);
    checkEvent(answerOf(answers, 'GetContainerEvents'));
  },
});
