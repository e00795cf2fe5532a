import assert from 'node:assert/strict';
import { type EnsuredImage, type EnsureImageRequest, errorCode, type ImageManager } from '@nodeagent/api';
import { maxContainerBackOffMs } from '@nodeagent/api/helpers';
import type { Suite, SuiteCase } from '../suite/suite.js';
import { suitePod } from '../support/pods.js';
import { type Advance, eventually, follow, type Settling, settle, settled } from '../support/waiting.js';

/** An image manager under test. */
export interface ImageManagerSubject {
  /** Not started. Its pods need no credentials. */
  manager: ImageManager;
  images: {
    /** A present image. */
    present: string;
    /** Two absent images that can be pulled; each pull takes some time. */
    absent: readonly [string, string];
    /** An image whose pull fails. */
    missing: string;
  };
  /** Number of pulls of this image that were started. */
  pullsOf(image: string): number;
  advance: Advance;
}

interface ImageSession extends ImageManagerSubject {
  /** Starts a call for a pod, by default `uid-web`. */
  begin(image: string, fields?: Partial<EnsureImageRequest>, signal?: AbortSignal): Settling<EnsuredImage>;
  /** Calls and waits for the result. */
  ensure(image: string, fields?: Partial<EnsureImageRequest>): Promise<EnsuredImage>;
  /** The error code of a call; undefined if it resolves. */
  codeOf(image: string, fields?: Partial<EnsureImageRequest>): Promise<string | undefined>;
}

const limitMs = 120_000;
const ofPod = (name: string): Partial<EnsureImageRequest> => ({ pod: suitePod(name) });

function imageCase(name: string, run: (session: ImageSession) => Promise<void>): SuiteCase<ImageManagerSubject> {
  return {
    name,
    async run(subject) {
      const { manager, advance } = subject;
      const request = (image: string, fields: Partial<EnsureImageRequest> = {}): EnsureImageRequest => {
        const pod = fields.pod ?? suitePod('web');
        return { object: { kind: 'Pod', name: 'web' }, pod, image, pullPolicy: 'IfNotPresent', ...fields };
      };
      const ensure: ImageSession['ensure'] = (image, fields) =>
        settled(advance, `${image} settles`, manager.ensureImageExists(request(image, fields)), limitMs);
      await settled(advance, 'start resolves', manager.start());
      await run({
        ...subject,
        begin: (image, fields, signal) => follow(manager.ensureImageExists(request(image, fields), signal)),
        ensure,
        codeOf: (image, fields) =>
          ensure(image, fields).then(
            () => undefined,
            (error: unknown) => errorCode(error),
          ),
      });
    },
  };
}

const pullCases = [
  imageCase('start may be called again', async ({ manager, advance, ensure, images }) => {
    await settled(advance, 'start resolves', manager.start());
    await ensure(images.present);
  }),

  imageCase('a present image is not pulled, unless the policy is Always', async ({ ensure, images: { present }, pullsOf }) => {
    for (const pullPolicy of ['IfNotPresent', 'Never']) assert.notEqual((await ensure(present, { pullPolicy })).imageRef, '');
    assert.equal(pullsOf(present), 0);
    assert.notEqual((await ensure(present, { pullPolicy: 'Always' })).imageRef, '');
    assert.equal(pullsOf(present), 1);
  }),

  imageCase('an absent image is pulled, once', async ({ ensure, images: { absent }, pullsOf }) => {
    const { imageRef, message } = await ensure(absent[0]);
    assert.notEqual(imageRef, '');
    assert.equal(message, '');
    assert.equal((await ensure(absent[0])).imageRef, imageRef);
    assert.equal(pullsOf(absent[0]), 1);
  }),

  imageCase('an unknown policy counts as Always', async ({ ensure, images: { present }, pullsOf }) => {
    await ensure(present, { pullPolicy: undefined });
    assert.equal(pullsOf(present), 1);
  }),

  imageCase('an absent image with the policy Never is ErrImageNeverPull', async ({ codeOf, images: { absent }, pullsOf }) => {
    assert.equal(await codeOf(absent[0], { pullPolicy: 'Never' }), 'ErrImageNeverPull');
    assert.equal(pullsOf(absent[0]), 0);
  }),

  imageCase('an invalid image name is InvalidImageName', async ({ codeOf, pullsOf }) => {
    assert.equal(await codeOf('Not A Name'), 'InvalidImageName');
    assert.equal(pullsOf('Not A Name'), 0);
  }),

  imageCase('calls run concurrently, also for one image', async ({ begin, images: { absent }, advance }) => {
    const calls = [begin(absent[0]), begin(absent[1], ofPod('db')), begin(absent[0], ofPod('job'))];
    await eventually(advance, 'all settle', () => calls.every((call) => call.settled), limitMs);
    const [first, second, third] = calls.map(({ value }) => value?.imageRef);
    assert.ok(first && second && third, 'all resolve');
    assert.equal(first, third);
  }),
];

const failureCases = [
  imageCase('a failed pull is ErrImagePull, then ImagePullBackOff until the back-off ends', async (session) => {
    const { codeOf, images, pullsOf, advance, manager } = session;
    assert.equal(await codeOf(images.missing), 'ErrImagePull');
    manager.collectBackOff();
    for (let i = 0; i < 2; i++) assert.equal(await codeOf(images.missing), 'ImagePullBackOff');
    assert.equal(pullsOf(images.missing), 1);
    await advance(maxContainerBackOffMs);
    assert.equal(await codeOf(images.missing), 'ErrImagePull');
    assert.equal(pullsOf(images.missing), 2);
  }),

  imageCase('a back-off applies to one pod and one image', async ({ codeOf, ensure, images, pullsOf }) => {
    await codeOf(images.missing);
    assert.equal(await codeOf(images.missing, ofPod('db')), 'ErrImagePull');
    assert.equal(pullsOf(images.missing), 2);
    await ensure(images.absent[0]);
  }),

  imageCase('a call rejects with the reason of its signal', async ({ begin, images: { absent }, pullsOf, advance }) => {
    const reason = new Error('the pod ends');
    const aborted = begin(absent[0], {}, AbortSignal.abort(reason));
    await settle();
    assert.equal(aborted.error, reason);
    assert.equal(pullsOf(absent[0]), 0);

    const controller = new AbortController();
    const pulling = begin(absent[0], {}, controller.signal);
    await eventually(advance, 'the pull begins', () => pullsOf(absent[0]) > 0, 1_000);
    controller.abort(reason);
    await eventually(advance, 'the call settles', () => pulling.settled, limitMs);
    assert.equal(pulling.error, reason);
  }),
];

const recordCases = [
  imageCase('pulls returns the pulls in progress, oldest first', async ({ manager, begin, images: { absent }, advance }) => {
    assert.deepEqual(manager.pulls(), []);
    const calls = [begin(absent[0]), begin(absent[1], ofPod('db'))];
    await settle();
    assert.deepEqual(
      manager.pulls().map(({ podUid }) => podUid),
      ['uid-web', 'uid-db'],
    );
    for (const { image, state, since, startedAt } of manager.pulls()) {
      assert.ok(
        absent.some((each) => image.startsWith(each)),
        `${image} is the requested one`,
      );
      assert.ok(since > 0);
      assert.equal(startedAt !== undefined, state === 'pulling');
    }
    manager.pulls().length = 0;
    assert.equal(manager.pulls().length, 2);
    await eventually(advance, 'both settle', () => calls.every((call) => call.settled), limitMs);
    assert.deepEqual(manager.pulls(), []);
  }),

  imageCase('pruneUnknownRecords does not affect access of pods', async ({ manager, ensure, images, advance, pullsOf }) => {
    await ensure(images.absent[0]);
    const until = Number.MAX_SAFE_INTEGER;
    for (let i = 0; i < 2; i++) await settled(advance, 'pruning resolves', manager.pruneUnknownRecords(new Set(), until));
    await ensure(images.absent[0]);
    assert.equal(pullsOf(images.absent[0]), 1);
  }),
];

/** The promises of `ImageManager` of `@nodeagent/api`. */
export const imageManagerSuite: Suite<ImageManagerSubject> = {
  name: 'ImageManager',
  cases: [...pullCases, ...failureCases, ...recordCases],
};
