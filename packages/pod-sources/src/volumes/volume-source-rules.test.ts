import type { Volume } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import { createFieldProblems } from '../field-problem.js';
import { checkVolumes } from './check-volumes.js';
import { referenceFields } from './reference-fields.js';
import { applyVolumeDefaults } from './volume-defaults.js';
import { volumeSourceRules } from './volume-source-rules.js';

const kinds = Object.entries(volumeSourceRules);

it('references to objects of the namespace are found by their type', () => {
  expect(Object.fromEntries(referenceFields())).toEqual({
    csi: ['nodePublishSecretRef'],
    ...Object.fromEntries(['iscsi', 'rbd', 'flexVolume', 'cinder', 'cephfs', 'scaleIO', 'storageos'].map((kind) => [kind, ['secretRef']])),
  });
});

describe('volumeSourceRules', () => {
  it.each(kinds)('%s demands and fills in only fields that it has', (_kind, { fields, required = [], defaults = {} }) => {
    for (const field of [...required, ...Object.keys(defaults)]) expect(Object.keys(fields)).toContain(field);
  });

  it.each(kinds.filter(([, { required }]) => required))('%s is refused without what it demands', (kind, { required = [] }) => {
    const problems = createFieldProblems();
    checkVolumes([{ name: 'v', [kind]: {} } as Volume], false, problems);
    const missing = problems.list.filter(({ problem }) => problem === 'Required value').map(({ field }) => field);
    expect(missing).toEqual(required.map((field) => `spec.volumes[0].${kind}.${field}`));
  });

  it.each(kinds.filter(([, { defaults }]) => defaults))('%s gets its defaults where nothing is written', (kind, { defaults = {} }) => {
    const volume = { name: 'v', [kind]: {} } as Volume;
    applyVolumeDefaults(volume);
    expect(volume).toEqual({ name: 'v', [kind]: defaults });
  });
});
