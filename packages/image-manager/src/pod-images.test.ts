import { type EnsureImageRequest, type Secret, silentLogger } from '@nodeagent/api';
import { buildPod, createRecordingRecorder } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createPodImages } from './pod-images.js';

it("passes the pod's pull secrets and the signal of its sync, and reports missing secrets", async () => {
  const requests: { request: EnsureImageRequest; signal: AbortSignal | undefined }[] = [];
  const recorder = createRecordingRecorder();
  const { signal } = new AbortController();
  const secret: Secret = { metadata: { name: 'reg', namespace: 'default' } };
  const options = {
    images: {
      ensureImageExists: async (request: EnsureImageRequest, given?: AbortSignal) => {
        requests.push({ request, signal: given });
        return { imageRef: 'ref', message: '' };
      },
    },
    signalOf: (uid: string) => (uid === 'u' ? signal : undefined),
    recorder,
    logger: silentLogger,
  };
  const pod = buildPod({ name: 'p', uid: 'u', imagePullSecrets: [{ name: 'reg' }, { name: 'missing' }], containers: ['app:1'] });
  const request = { object: {}, pod, image: 'app:1', pullPolicy: 'Always', sandboxConfig: {} };
  const getSecret = async (_namespace: string, name: string) => (name === 'reg' ? secret : undefined);
  expect(await createPodImages({ ...options, getSecret }).ensureImageExists(request)).toMatchObject({ imageRef: 'ref' });
  await createPodImages(options).ensureImageExists(request);
  expect(requests.map((each) => [each.request.pullSecrets, each.signal])).toEqual([
    [[secret], signal],
    [[], signal],
  ]);
  expect(recorder.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual(
    ['missing', 'reg, missing'].map(
      (names) =>
        `FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (${names}); attempting to pull the image may not succeed.`,
    ),
  );
});
