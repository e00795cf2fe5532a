import { errorCode, errorMessage, type ObjectReference } from '@nodeagent/api';
import { createBackoff } from '@nodeagent/api/helpers';
import {
  createImageManager,
  createMemoryPullRecords,
  type ImagePulledRecord,
  type RecordedSecret,
  type ServiceAccountCoordinates,
  type VerificationPolicy,
} from '@nodeagent/image-manager';
import { createImagePullManager, createKeyring, createVerificationPolicy, registryUrlMatches } from '@nodeagent/image-manager/decisions';
import { createVirtualClock } from '@nodeagent/testing';
import { type Adapter, defineAdapter } from '../adapter.js';
import { inspectedImage, maskedImageTexts, pullAnswerOfErrors, recordWriteTime } from '../masks.js';

interface BackoffStep {
  op: 'check' | 'next' | 'gc' | 'reset';
  key: string;
  advanceSeconds: number;
}

function imageBackoff({ initialSeconds, maxSeconds, steps }: { initialSeconds: number; maxSeconds: number; steps: BackoffStep[] }) {
  const backOff = createBackoff({ initialMs: initialSeconds * 1000, maxMs: maxSeconds * 1000 });
  let now = 0;
  return steps.map(({ op, key, advanceSeconds }) => {
    now += advanceSeconds * 1000;
    const inBackOff = op === 'check' ? backOff.isInBackoffSinceUpdate(key, now) : undefined;
    if (op === 'next') backOff.next(key, now, now);
    else if (op === 'gc') backOff.collect(now);
    else if (op === 'reset') backOff.reset(key);
    return { inBackOff, backOffSeconds: backOff.get(key) / 1000 };
  });
}

interface EnsureImageStep {
  advanceSeconds: number;
  presentImageRef: string;
  inspectError: string;
  pullError: string;
  mustAttemptPull: boolean;
  mustAttemptPullError: string;
}

interface EnsureImageInput {
  image: string;
  podUID: string;
  pullPolicy: string;
  initialBackOffSeconds: number;
  maxBackOffSeconds: number;
  steps: EnsureImageStep[];
}

const listing = { repoTags: [], repoDigests: [], username: '', pinned: false, size: 0n };

async function ensureImage(input: EnsureImageInput) {
  const clock = createVirtualClock();
  let step: EnsureImageStep | undefined;
  let events: string[] = [];
  let pulled: string[] = [];
  let calls: string[] = [];
  const manager = createImageManager({
    clock,
    settings: {
      serializeImagePulls: false,
      registryPullQPS: 0,
      initialBackOffMs: input.initialBackOffSeconds * 1000,
      maxBackOffMs: input.maxBackOffSeconds * 1000,
    },
    recorder: { event: (_object: ObjectReference, type, reason, message) => events.push(`${type} ${reason} ${message}`) },
    images: {
      async imageStatus() {
        if (step?.inspectError) throw new Error(step.inspectError);
        return { image: step?.presentImageRef ? { ...listing, id: step.presentImageRef } : undefined, info: {} };
      },
      async pullImage({ image }) {
        pulled.push(image?.image ?? '');
        if (step?.pullError) throw new Error(step.pullError);
        return { imageRef: 'sha256:pulled' };
      },
      listImages: async () => ({ images: [] }),
    },
    pullManager: {
      recordPullIntent: async (image) => void calls.push(`intent:${image}`),
      recordImagePulled: async (image, ref, used) => void calls.push(`pulled:${image}:${ref}:nodeAccessible=${used === undefined}`),
      recordImagePullFailed: async (image) => void calls.push(`failed:${image}`),
      async mustAttemptImagePull(image, imageRef) {
        calls.push(`must:${image}:${imageRef}`);
        if (step?.mustAttemptPullError) throw new Error(step.mustAttemptPullError);
        return step?.mustAttemptPull ?? false;
      },
      initialize: async () => {},
      pruneUnknownRecords: async () => {},
    },
  });
  const outputs: unknown[] = [];
  for (step of input.steps) {
    [events, pulled, calls] = [[], [], []];
    await clock.advance(step.advanceSeconds * 1000);
    const request = { object: {}, pod: { metadata: { uid: input.podUID } }, image: input.image, pullPolicy: input.pullPolicy };
    const result = await manager.ensureImageExists(request).then(
      ({ imageRef, message }) => ({ imageRef, error: '', message }),
      (error: unknown) => ({ imageRef: '', error: errorCode(error) ?? errorMessage(error), message: errorMessage(error) }),
    );
    outputs.push({ ...result, events, pulled, pullManagerCalls: calls });
  }
  return outputs;
}

function urlMatch({ glob, image }: { glob: string; image: string }) {
  try {
    return { match: registryUrlMatches(glob, image), error: false };
  } catch {
    return { match: false, error: true };
  }
}

interface KeyringInput {
  entries: { location: string; username: string; password: string; email: string }[];
  image: string;
}

function keyringLookup({ entries, image }: KeyringInput) {
  const keyring = createKeyring();
  for (const [position, { location, ...auth }] of entries.entries()) {
    keyring.add(location, auth, { secret: { uid: `s${position + 1}`, namespace: '', name: '' } });
  }
  const found = keyring.find(image);
  return {
    index: keyring.index(),
    found: found !== undefined,
    credentials: found?.map(({ auth, hash, source }) => ({ username: auth.username, hash, secretUID: source?.secret?.uid })),
  };
}

interface MustAttemptPullInput {
  policy: VerificationPolicy;
  allowlist: string[];
  image: string;
  imageRef: string;
  record: ImagePulledRecord | null;
  recordReadError: boolean;
  pullIntentExists: boolean;
  podSecrets: RecordedSecret[];
  podServiceAccount: ServiceAccountCoordinates | null;
  podCredentialsError: boolean;
}

async function mustAttemptPull(input: MustAttemptPullInput) {
  const store = createMemoryPullRecords();
  if (input.record) await store.writePulledRecord({ ...input.record, lastUpdatedTime: '2026-01-01T00:00:00Z' });
  if (input.pullIntentExists) await store.writeIntent({ image: input.image });
  let written: ImagePulledRecord | null = null;
  let asked = false;
  const manager = createImagePullManager({
    clock: createVirtualClock(),
    requiresVerification: createVerificationPolicy(input.policy, input.allowlist),
    store: {
      ...store,
      getPulledRecord: (imageRef) => (input.recordReadError ? Promise.reject(new Error('unreadable')) : store.getPulledRecord(imageRef)),
      async writePulledRecord(record) {
        written = record;
      },
    },
  });
  const mustPull = manager.mustAttemptImagePull(input.image, input.imageRef, async () => {
    asked = true;
    if (input.podCredentialsError) throw new Error('no credentials');
    return { secrets: input.podSecrets ?? [], serviceAccount: input.podServiceAccount ?? undefined };
  });
  const decision = await mustPull.then(
    (answer) => ({ mustPull: answer, error: false }),
    () => ({ error: true }),
  );
  return { ...decision, askedForPodCredentials: asked, writtenRecord: written };
}

function allowlistPattern({ pattern, image }: { pattern: string; image: string }) {
  try {
    return { requireVerification: createVerificationPolicy('NeverVerifyAllowlistedImages', [pattern])(image, true) };
  } catch {
    return { error: true };
  }
}

export const imageManagerAdapters: Adapter[] = [
  defineAdapter('image-backoff', imageBackoff),
  defineAdapter('ensure-image', ensureImage, { masks: [maskedImageTexts, inspectedImage] }),
  defineAdapter('url-match', urlMatch),
  defineAdapter('keyring-lookup', keyringLookup),
  defineAdapter('must-attempt-pull', mustAttemptPull, {
    emptyIsAbsent: true,
    masks: [recordWriteTime, pullAnswerOfErrors],
  }),
  defineAdapter('allowlist-pattern', allowlistPattern),
];
