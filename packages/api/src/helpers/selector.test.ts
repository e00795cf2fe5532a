import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeSelectorTerm, Pod } from '../objects/pod.js';
import { matchesNodeAffinity } from './node-affinity.js';
import { matchesLabelSelector } from './selector.js';
import { findUntoleratedTaint, tolerates, toleratesAny } from './toleration.js';

const key = fc.constantFrom('app', 'tier', 'example.com/role');
const value = fc.constantFrom('', 'a', 'b', '10', '-3');
const labels = fc.dictionary(key, value);
const values = fc.array(fc.constantFrom('', 'a', 'b', '10'), { minLength: 1, maxLength: 3 });

describe('label selectors', () => {
  it('match nothing when absent and everything when empty', () => {
    fc.assert(
      fc.property(labels, (given) => {
        expect(matchesLabelSelector(undefined, given)).toBe(false);
        expect(matchesLabelSelector({}, given)).toBe(true);
      }),
    );
  });

  it('negate: NotIn is the opposite of In, DoesNotExist of Exists', () => {
    fc.assert(
      fc.property(labels, key, values, (given, name, listed) => {
        const holds = (operator: string, list?: string[]) =>
          matchesLabelSelector({ matchExpressions: [{ key: name, operator, values: list }] }, given);
        expect(holds('NotIn', listed)).toBe(!holds('In', listed));
        expect(holds('DoesNotExist')).toBe(!holds('Exists'));
        if (holds('In', listed)) expect(holds('Exists')).toBe(true);
      }),
    );
  });

  it('match fewer objects with each requirement, and a label equals In with one value', () => {
    fc.assert(
      fc.property(labels, key, fc.constantFrom('', 'a', 'b'), (given, name, wanted) => {
        const asLabel = matchesLabelSelector({ matchLabels: { [name]: wanted } }, given);
        expect(asLabel).toBe(matchesLabelSelector({ matchExpressions: [{ key: name, operator: 'In', values: [wanted] }] }, given));
        const both = { matchLabels: { [name]: wanted }, matchExpressions: [{ key: 'app', operator: 'Exists' }] };
        if (matchesLabelSelector(both, given)) expect(asLabel).toBe(true);
      }),
    );
  });

  it('ignore members that every JavaScript object has', () => {
    expect(matchesLabelSelector({ matchExpressions: [{ key: 'constructor', operator: 'Exists' }] }, {})).toBe(false);
    expect(matchesLabelSelector({ matchLabels: { toString: 'x' } }, {})).toBe(false);
  });

  it.each([
    { key: 'a', operator: 'Is' },
    { key: 'a', operator: 'In' },
    { key: 'a', operator: 'Exists', values: ['x'] },
    { key: 'a b', operator: 'Exists' },
    { key: 'a', operator: 'In', values: ['-'] },
    { key: 'a', operator: 'Gt', values: ['1'] },
  ])('refuse %o', (requirement) => {
    expect(() => matchesLabelSelector({ matchExpressions: [requirement] }, {})).toThrow(
      expect.objectContaining({ code: 'InvalidSelector' }),
    );
  });
});

describe('node affinity', () => {
  const node = { metadata: { name: 'n1', labels: { zone: 'a', cores: '8' } } };
  const pod = (nodeSelectorTerms: NodeSelectorTerm[], nodeSelector?: Record<string, string>): Pod => ({
    spec: {
      containers: [],
      nodeSelector,
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
    },
  });
  const field = (operator: string, ...names: string[]) => ({ matchFields: [{ key: 'metadata.name', operator, values: names }] });

  it('needs one term and the node selector', () => {
    const inA = { matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] };
    expect(matchesNodeAffinity({ spec: { containers: [] } }, node)).toBe(true);
    expect(matchesNodeAffinity(pod([field('In', 'n2'), inA]), node)).toBe(true);
    expect(matchesNodeAffinity(pod([inA], { zone: 'b' }), node)).toBe(false);
    expect(matchesNodeAffinity(pod([field('NotIn', 'n1')]), node)).toBe(false);
    expect(matchesNodeAffinity(pod([]), node)).toBe(false);
    expect(matchesNodeAffinity(pod([{}]), node)).toBe(false);
  });

  it('compares integers', () => {
    const cores = (operator: string, limit: string) => pod([{ matchExpressions: [{ key: 'cores', operator, values: [limit] }] }]);
    expect(matchesNodeAffinity(cores('Gt', '4'), node)).toBe(true);
    expect(matchesNodeAffinity(cores('Lt', '8'), node)).toBe(false);
    expect(() => matchesNodeAffinity(cores('Gt', 'many'), node)).toThrow(expect.objectContaining({ code: 'InvalidSelector' }));
  });

  it('skips an invalid term if another matches', () => {
    const invalid = { matchExpressions: [{ key: 'zone', operator: 'Is' }] };
    expect(matchesNodeAffinity(pod([invalid, field('In', 'n1')]), node)).toBe(true);
    expect(() => matchesNodeAffinity(pod([invalid, field('In', 'n2')]), node)).toThrow('zone');
    expect(() => matchesNodeAffinity(pod([field('In', 'n1', 'n2')]), node)).toThrow('exactly one value');
    expect(() => matchesNodeAffinity(pod([field('Exists')]), node)).toThrow('field selector operator');
  });
});

describe('tolerations', () => {
  const taint = { key: 'k', value: '5', effect: 'NoExecute' };

  it('match by key, value and effect, each optional', () => {
    expect(toleratesAny([{ operator: 'Exists' }], taint)).toBe(true);
    expect(toleratesAny([{ key: 'k', value: '5' }], taint)).toBe(true);
    expect(toleratesAny([{ value: '6' }, { key: 'j', operator: 'Exists' }, { operator: 'Exists', effect: 'NoSchedule' }], taint)).toBe(
      false,
    );
    expect(toleratesAny(undefined, taint)).toBe(false);
  });

  it('compare only if enabled, and only integers', () => {
    const above = { key: 'k', operator: 'Gt', value: '4' };
    expect(tolerates(above, taint)).toBe(false);
    expect(tolerates(above, taint, { comparisonOperators: true })).toBe(true);
    expect(tolerates({ ...above, operator: 'Lt' }, taint, { comparisonOperators: true })).toBe(false);
    expect(tolerates({ ...above, value: '04' }, taint, { comparisonOperators: true })).toBe(false);
  });

  it('find the first taint that is not tolerated', () => {
    const other = { key: 'other', effect: 'NoSchedule' };
    expect(findUntoleratedTaint([other, taint], [], ({ effect }) => effect === 'NoExecute')).toBe(taint);
    expect(findUntoleratedTaint([other, taint], [{ operator: 'Exists' }], () => true)).toBeUndefined();
  });
});
