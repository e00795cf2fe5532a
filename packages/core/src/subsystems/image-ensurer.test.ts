import { type EnsureImageRequest, type Secret, silentLogger } from '@nodeagent/api';
import { buildPod, createRecordingRecorder } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createImageEnsurer } from './image-ensurer.js';

it("hands on the pod's pull secrets and its sync's signal; secrets that cannot be had are told", async () => {
  const asked: { request: EnsureImageRequest; signal: AbortSignal | undefined }[] = [];
  const recorder = createRecordingRecorder();
  const { signal } = new AbortController();
  const secret: Secret = { metadata: { name: 'reg', namespace: 'default' } };
  const options = {
    images: {
      ensureImageExists: async (request: EnsureImageRequest, given?: AbortSignal) => {
        asked.push({ request, signal: given });
        return { imageRef: 'ref', message: '' };
      },
    },
    signalOf: (uid: string) => (uid === 'u' ? signal : undefined),
    recorder,
    logger: silentLogger,
  };
  const pod = buildPod({ name: 'p', uid: 'u', imagePullSecrets: [{ name: 'reg' }, { name: 'gone' }], containers: ['app:1'] });
  const request = { object: {}, pod, image: 'app:1', pullPolicy: 'Always', sandboxConfig: {} };
  const getSecret = async (_namespace: string, name: string) => (name === 'reg' ? secret : undefined);
  expect(await createImageEnsurer({ ...options, getSecret }).ensureImageExists(request)).toMatchObject({ imageRef: 'ref' });
  await createImageEnsurer(options).ensureImageExists(request);
  expect(asked.map((each) => [each.request.pullSecrets, each.signal])).toEqual([
    [[secret], signal],
    [[], signal],
  ]);
  expect(recorder.events.map(({ reason, message }) => `${reason}: ${message}`)).toEqual(
    ['gone', 'reg, gone'].map(
      (names) =>
        `FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (${names}); attempting to pull the image may not succeed.`,
    ),
  );
});
