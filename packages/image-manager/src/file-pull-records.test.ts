import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRecordingLogger, createVirtualClock, type RecordingLogger } from '@nodeagent/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFilePullRecords } from './file-pull-records.js';
import { createImagePullManager, type ImagePullManager } from './pull-manager.js';
import type { PullRecordStore } from './pull-record.js';
import { createVerificationPolicy } from './verification-policy.js';

const imageRef = 'sha256:app';
const image = 'private.example/app:1';
const secret = { uid: 'u', namespace: 'prod', name: 'login', credentialHash: 'h' };

const requiresVerification = createVerificationPolicy('NeverVerifyPreloadedImages');

let directory: string;
let logger: RecordingLogger;
let store: PullRecordStore;
let manager: ImagePullManager;
let file: string;

/** An image that was pulled with a secret, so that it has a record. */
beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'pull-records-'));
  logger = createRecordingLogger();
  store = createFilePullRecords({ directory, logger });
  manager = createImagePullManager({ store, requiresVerification, clock: createVirtualClock(), logger });
  await manager.recordPullIntent(image);
  await manager.recordImagePulled(image, imageRef, { auth: {}, hash: 'h', source: { secret } });
  file = join(directory, 'pulled', readdirSync(join(directory, 'pulled'))[0] ?? '');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const mustPull = () => manager.mustAttemptImagePull(image, imageRef, async () => ({ secrets: [secret] }));
const hint =
  'Pull the image again: a successful pull replaces the file. If no pod needs the image, remove the image from the runtime, then the file.';
const record = (credentials: unknown) => JSON.stringify({ imageRef, credentialMapping: { 'private.example/app': credentials } });

it.each([
  ['an empty file', ''],
  ['half a file', '{"kind": "ImagePulledRecord", "imageRef": "sha2'],
  ['another kind of value', '[]'],
  ['secrets that are no list', record({ kubernetesSecrets: 5 })],
  ['a secret without its fields', record({ kubernetesSecrets: [{ uid: 'u' }] })],
  ['a service account that is none', record({ kubernetesServiceAccounts: [null] })],
  ['access that is not true or false', record({ nodePodsAccessible: 'yes' })],
])('logs a damaged record once at start, with its file and a hint: %s', async (_, text) => {
  expect(await mustPull()).toBe(false);
  writeFileSync(file, text);
  await manager.initialize([]);
  await manager.pruneUnknownRecords(new Set([imageRef]), 0);
  expect(logger.lines).toEqual([
    {
      level: 'warn',
      message: 'damaged ImagePulledRecord: pods must pull its image',
      fields: {
        file,
        err: expect.objectContaining({ message: expect.stringContaining(`unable to decode ImagePulledRecord in ${file}: `), hint }),
      },
    },
  ]);
});

it('requires credentials for the image of a damaged record until the next pull replaces the record', async () => {
  writeFileSync(file, '{"half": ');
  expect(await mustPull()).toBe(true);
  expect(logger.lines).toMatchObject([
    {
      level: 'error',
      message: 'unable to read the pull record of an image, it must be pulled again',
      fields: { image, imageRef, err: { message: expect.stringContaining(file), hint } },
    },
  ]);
  logger.clear();
  await manager.recordPullIntent(image);
  await manager.recordImagePulled(image, imageRef, { auth: {}, hash: 'h', source: { secret } });
  expect(logger.messages('warn')).toEqual(['failed to retrieve an ImagePulledRecord, replacing it']);
  expect(await mustPull()).toBe(false);
});

it('reports a damaged record again after it was replaced', async () => {
  const whole = readFileSync(file);
  for (const text of ['half', whole, 'half']) {
    writeFileSync(file, text);
    await store.listPulledRecords();
  }
  expect(logger.lines).toHaveLength(2);
});

it('reports a record that has the file of another image', async () => {
  const other = join(directory, 'pulled', `sha256-${'0'.repeat(64)}`);
  renameSync(file, other);
  await manager.initialize([]);
  expect(logger.lines).toMatchObject([
    {
      level: 'warn',
      message: 'ImagePulledRecord in the file of another image is ignored',
      fields: { file: other, hint: 'Remove the file.' },
    },
  ]);
});

it('reports a damaged intent and continues with the others', async () => {
  for (const name of ['a', 'b']) await store.writeIntent({ image: name });
  const [first = ''] = readdirSync(join(directory, 'pulling'));
  writeFileSync(join(directory, 'pulling', first), '{');
  await manager.initialize([]);
  expect(logger.lines).toMatchObject([
    {
      level: 'warn',
      message: 'damaged ImagePullIntent: pods must pull its image',
      fields: { file: join(directory, 'pulling', first), err: { hint } },
    },
  ]);
  expect(readdirSync(join(directory, 'pulling'))).toEqual([first]);
});

it('reads null as an absent list, as the kubelet can write it', async () => {
  writeFileSync(file, record({ kubernetesSecrets: null, nodePodsAccessible: true }));
  expect(await store.getPulledRecord(imageRef)).toMatchObject({ imageRef });
  writeFileSync(file, JSON.stringify({ imageRef, credentialMapping: null }));
  expect(await store.getPulledRecord(imageRef)).toMatchObject({ credentialMapping: {} });
  expect(logger.lines).toEqual([]);
});
