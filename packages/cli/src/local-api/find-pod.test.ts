import { describe, expect, it } from 'vitest';
import { findPod } from './find-pod.js';

const pods = ['default/web-n1', 'default/web-two-n1', 'default/db-n1', 'kube-system/db-n1', 'kube-system/proxy', 'default/web-n1'].map(
  (full) => {
    const [namespace = '', name = ''] = full.split('/');
    return { namespace, name };
  },
);
const find = (wanted: string) => {
  const { namespace, name } = findPod(wanted, pods, 'n1');
  return `${namespace}/${name}`;
};

describe('findPod', () => {
  it.each([
    ['default/web-n1', 'default/web-n1'],
    ['web-n1', 'default/web-n1'],
    ['web', 'default/web-n1'],
    ['web-t', 'default/web-two-n1'],
    ['kube-system/db', 'kube-system/db-n1'],
    ['kube-system/d', 'kube-system/db-n1'],
    ['p', 'kube-system/proxy'],
  ])('resolves %s to %s', (wanted, found) => {
    expect(find(wanted)).toBe(found);
  });

  it.each([
    ['db', 'POD_AMBIGUOUS', '"db" matches default/db-n1, kube-system/db-n1'],
    ['we', 'POD_AMBIGUOUS', '"we" matches default/web-n1, default/web-two-n1'],
    ['proxi', 'POD_NOT_FOUND', 'no pod "proxi"; did you mean kube-system/proxy?'],
    ['wbe', 'POD_NOT_FOUND', 'no pod "wbe"; did you mean default/web-n1?'],
    ['defualt/web', 'POD_NOT_FOUND', 'no pod "defualt/web"; did you mean default/web-n1?'],
    ['default/proxy', 'POD_NOT_FOUND', 'no pod "default/proxy"'],
    ['nothing-like-it', 'POD_NOT_FOUND', 'no pod "nothing-like-it"'],
  ])('%s: %s', (wanted, code, message) => {
    expect(() => find(wanted)).toThrow(expect.objectContaining({ code, message }));
  });

  it('reports that there are no pods', () => {
    expect(() => findPod('web', [], 'n1')).toThrow(expect.objectContaining({ code: 'POD_NOT_FOUND', hint: 'the agent has no pods' }));
  });
});
