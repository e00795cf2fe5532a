import { NodeAgentError, type Pod } from '@nodeagent/api';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ManifestDocument } from '../manifest/decode-manifest.js';
import { emptyFileSourceState, type FileSourceStep, nextFileSourceState } from './file-source-state.js';

const fileNames = ['a', 'b', 'c'];
/** Content of a file: the versions of the pods it describes, or `broken`. No two files describe the same pod. */
const content = fc.oneof(fc.constant('broken' as const), fc.uniqueArray(fc.nat(2), { maxLength: 3 }));
const action = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('write' as const), name: fc.constantFrom(...fileNames), content }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('delete' as const), name: fc.constantFrom(...fileNames) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('scan' as const) }) },
);

let versions = 0;
const podOf = (file: string, index: number): Pod => ({ metadata: { name: `${file}${index}`, namespace: 'ns', uid: `${versions++}` } });
const broken: ManifestDocument = { document: 1, warnings: [], error: new NodeAgentError('NotAPod', 'x') };

describe('keeping the last good version, under random changes', () => {
  it('runs the pods of the last valid version of each file, and no pods of deleted files', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
        const folder = new Map<string, ManifestDocument[]>();
        const lastGood = new Map<string, Pod[]>();
        let state = emptyFileSourceState;
        for (const happened of actions) {
          let step: FileSourceStep;
          if (happened.type === 'write') {
            const pods = happened.content === 'broken' ? undefined : happened.content.map((index) => podOf(happened.name, index));
            const documents: ManifestDocument[] = pods?.map((pod) => ({ document: 1, warnings: [], pod })) ?? [broken];
            folder.set(happened.name, documents);
            if (pods) lastGood.set(happened.name, pods);
            step = { type: 'change', file: { file: happened.name, documents } };
          } else if (happened.type === 'delete') {
            folder.delete(happened.name);
            lastGood.delete(happened.name);
            step = { type: 'delete', file: happened.name };
          } else {
            step = { type: 'scan', single: false, files: [...folder].map(([file, documents]) => ({ file, documents })) };
          }
          const result = nextFileSourceState(state, step);
          state = result.state;
          const wanted = [...lastGood.values()].flat().map(({ metadata }) => metadata?.uid);
          expect([...state.store.values()].map(({ metadata }) => metadata?.uid).sort()).toEqual(wanted.sort());
          if (result.pods) expect(result.pods).toEqual([...state.store.values()]);
        }
      }),
    );
  });
});
