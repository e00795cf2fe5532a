import { NodeAgentError, type Pod } from '@nodeagent/api';
import { describe, expect, it } from 'vitest';
import type { ManifestDocument } from '../manifest/decode-manifest.js';
import {
  emptyFileSourceState,
  type FileSourceResult,
  type FileSourceStep,
  type ManifestFile,
  nextFileSourceState,
} from './file-source-state.js';

const pod = (name: string, version = 1): Pod => ({ metadata: { name, namespace: 'ns', uid: `${name}-${version}` } });
const good = (...pods: Pod[]): ManifestDocument[] => pods.map((pod, index) => ({ document: index + 1, warnings: [], pod }));
/** A refused document, with a readable pod name or without. */
const bad = (name?: string): ManifestDocument => ({
  document: 9,
  warnings: [],
  error: new NodeAgentError('InvalidManifest', 'x'),
  ...(name !== undefined && { fullName: `${name}_ns` }),
});
const file = (name: string, ...documents: ManifestDocument[]): ManifestFile => ({ file: name, documents });
const scan = (...files: ManifestFile[]): FileSourceStep => ({ type: 'scan', single: false, files });

/** The UIDs sent after each step; undefined where nothing is sent. */
function replay(steps: readonly FileSourceStep[], keepLastGood = true) {
  let state = emptyFileSourceState;
  return steps.map((step): FileSourceResult & { uids: string[] | undefined } => {
    const result = nextFileSourceState(state, step, { keepLastGood });
    state = result.state;
    return { ...result, uids: result.pods?.map(({ metadata }) => metadata?.uid ?? '') };
  });
}
const sent = (steps: readonly FileSourceStep[], keepLastGood?: boolean) => replay(steps, keepLastGood).map(({ uids }) => uids);

describe('keeping the last good version', () => {
  it('keeps a pod whose manifest became invalid, until it is mended or deleted', () => {
    const files = [file('a', ...good(pod('a'))), file('b', ...good(pod('b')))];
    expect(
      sent([
        scan(...files),
        { type: 'change', file: file('a', bad()) },
        scan(file('a', bad('a')), file('b', ...good(pod('b')))),
        { type: 'change', file: file('a', ...good(pod('a', 2))) },
        { type: 'change', file: file('a', bad()) },
        { type: 'delete', file: 'a' },
        scan(file('b', bad())),
        scan(),
      ]),
    ).toEqual([['a-1', 'b-1'], undefined, ['a-1', 'b-1'], ['a-2', 'b-1'], undefined, ['b-1'], ['b-1'], []]);
  });

  it('keeps only the pods that a refused document can describe', () => {
    const three = file('a', ...good(pod('a'), pod('b'), pod('c')));
    const after = (...documents: ManifestDocument[]) => sent([scan(three), { type: 'change', file: file('a', ...documents) }])[1];
    expect(after(...good(pod('a', 2)), bad('b'))).toEqual(['a-2', 'b-1']);
    expect(after(...good(pod('a', 2)), bad())).toEqual(['a-2', 'b-1', 'c-1']);
    expect(after(...good(pod('a', 2)), bad('renamed'))).toEqual(['a-2', 'b-1', 'c-1']);
    expect(after(bad('c'), bad('b'))).toEqual(['b-1', 'c-1']);
    expect(after(...good(pod('b', 2)), bad('b'))).toEqual(['b-2']);
  });

  it('removes a pod at once when its file no longer describes it', () => {
    expect(sent([scan(file('a', ...good(pod('a')))), { type: 'change', file: file('a', ...good(pod('z'))) }])).toEqual([['a-1'], ['z-1']]);
  });

  it('falls back to the other file when one of two files with the same pod is deleted', () => {
    const steps: FileSourceStep[] = [scan(file('b', ...good(pod('x', 2))), file('a', ...good(pod('x', 1)))), { type: 'delete', file: 'b' }];
    const [both, one] = replay(steps);
    expect(both).toMatchObject({ uids: ['x-2'], duplicates: [{ fullName: 'x_ns', used: 'b', ignored: 'a' }] });
    expect(one).toMatchObject({ uids: ['x-1'], duplicates: [] });
    for (const step of [
      { type: 'change', file: file('b', bad()) },
      { type: 'delete', file: 'c' },
    ] as const) {
      const [, unchanged] = replay([...steps.slice(0, 1), step]);
      expect(unchanged).toMatchObject({ uids: undefined, duplicates: [{ fullName: 'x_ns' }] });
    }
  });

  it('emits no list for a single file that was never valid, so that no pod is stopped because of it', () => {
    const single = (...documents: ManifestDocument[]): FileSourceStep => ({ type: 'scan', single: true, files: [file('a', ...documents)] });
    expect(sent([single(bad()), single(...good(pod('a'))), single(bad()), { type: 'missing' }, { type: 'delete', file: 'a' }])).toEqual([
      undefined,
      ['a-1'],
      ['a-1'],
      [],
      undefined,
    ]);
  });

  it('forgets all pods when the path is removed', () => {
    const [, missing, back] = replay([scan(file('a', ...good(pod('a')))), { type: 'missing' }, scan(file('a', bad()))]);
    expect(missing).toMatchObject({ uids: [], failed: true });
    expect(back).toMatchObject({ uids: [], failed: false });
  });

  it('does not change the state it is given', () => {
    const first = nextFileSourceState(emptyFileSourceState, scan(file('a', ...good(pod('a')))));
    const before = structuredClone(first.state);
    nextFileSourceState(first.state, { type: 'delete', file: 'a' });
    nextFileSourceState(first.state, { type: 'change', file: file('b', ...good(pod('b'))) }, { keepLastGood: false });
    expect(first.state).toEqual(before);
  });
});

describe("the kubelet's rule", () => {
  it('drops an invalid pod at the next scan, not at the event', () => {
    const a = file('a', ...good(pod('a')));
    expect(
      sent([scan(a), { type: 'change', file: file('a', bad()) }, scan(file('a', bad()), file('b', ...good(pod('b'))))], false),
    ).toEqual([['a-1'], undefined, ['b-1']]);
  });

  it('sends an empty list for an empty folder but remembers its store', () => {
    expect(sent([scan(file('a', ...good(pod('a')))), scan(), { type: 'change', file: file('b', ...good(pod('b'))) }], false)).toEqual([
      ['a-1'],
      [],
      ['a-1', 'b-1'],
    ]);
  });
});
