import { type SubjectAccessReview, silentLogger, type UserInfo } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { requestAttributes } from '../auth-attributes.js';
import { createAuthorizer } from './authorizer.js';

const { signal } = new AbortController();
const attributes = requestAttributes('POST', '/exec/ns/web/app', 'n1');

function createTestAuthorizer(decide: (spec: SubjectAccessReview['spec']) => NonNullable<SubjectAccessReview['status']>) {
  const asked: SubjectAccessReview['spec'][] = [];
  const subjectAccessReviews = {
    create: async (review: SubjectAccessReview) => {
      asked.push(review.spec);
      return { ...review, status: decide(review.spec) };
    },
  };
  const ports = { clock: createVirtualClock(), random: () => 0, logger: silentLogger, ended: signal };
  const authorize = createAuthorizer({ mode: 'Webhook', subjectAccessReviews }, ports);
  return { asked, allows: async (user: UserInfo) => (await authorize(user, attributes, signal)) === undefined };
}

const alice: UserInfo = { username: 'alice', uid: 'u1', groups: ['dev'], extra: { scope: ['exec'] } };

describe('an answer of the API server', () => {
  it.each<[string, UserInfo]>([
    ['name', { ...alice, username: 'mallory' }],
    ['UID, as one that was deleted and created again', { ...alice, uid: 'u2' }],
    ['groups', { ...alice, groups: [] }],
    ['number of groups', { ...alice, groups: ['dev', 'ops'] }],
    ['extra attributes', { ...alice, extra: { scope: ['read'] } }],
    ['names of extra attributes', { ...alice, extra: { other: ['exec'] } }],
  ])('does not hold for a user of another %s', async (_what, other) => {
    const { allows, asked } = createTestAuthorizer((spec) => {
      const { user: username, uid, groups, extra } = spec;
      return { allowed: JSON.stringify({ username, uid, groups, extra }) === JSON.stringify(alice) };
    });
    expect(await allows(alice)).toBe(true);
    expect(await allows(other)).toBe(false);
    expect(await allows(alice)).toBe(true);
    expect(asked).toHaveLength(2);
  });

  it('is asked for once for the same user', async () => {
    const { asked, allows } = createTestAuthorizer(() => ({ allowed: true }));
    await allows(alice);
    await allows({ ...alice });
    expect(asked).toEqual([
      {
        user: 'alice',
        uid: 'u1',
        groups: ['dev'],
        extra: { scope: ['exec'] },
        resourceAttributes: { verb: 'create', version: 'v1', resource: 'nodes', subresource: 'proxy', name: 'n1' },
      },
    ]);
  });

  it.each<[NonNullable<SubjectAccessReview['status']>, boolean]>([
    [{ allowed: true }, true],
    [{ allowed: true, denied: false }, true],
    [{ allowed: true, denied: true }, false],
    [{ allowed: false, denied: true }, false],
    [{ allowed: false }, false],
  ])('%j allows: %s', async (status, isAllowed) => {
    expect(await createTestAuthorizer(() => status).allows(alice)).toBe(isAllowed);
  });
});
