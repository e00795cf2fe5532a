import type { ObjectKey, Pod, TokenRequest } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import { createVirtualClock } from '@nodeagent/testing';
import { expect, it } from 'vitest';
import { createPodTokens } from './pod-tokens.js';

const pod = (uid: string): Pod => ({ metadata: { name: 'p', namespace: 'ns', uid } });
const account = { uid: 'sa', namespace: 'ns', name: 'builder' };

function setUp(
  status = (clock: ReturnType<typeof createVirtualClock>, count: number): TokenRequest['status'] => ({
    token: `t${count}`,
    expirationTimestamp: formatTime(clock.now() + 3_600_000),
  }),
) {
  const clock = createVirtualClock();
  const asked: { key: ObjectKey; request: TokenRequest }[] = [];
  const createToken = async (key: ObjectKey, request: TokenRequest) => {
    asked.push({ key, request });
    const answered = status(clock, asked.length);
    return { ...request, ...(answered && { status: answered }) };
  };
  return { clock, asked, token: createPodTokens({ createToken }, clock) };
}

it('are bound to their pod, and reused for four fifths of their lifetime', async () => {
  const { clock, asked, token } = setUp();
  expect(await token(pod('u'), account, 'registry')).toBe('t1');
  await clock.advance(2_879_999);
  expect(await token(pod('u'), account, 'registry')).toBe('t1');
  await clock.advance(1);
  expect(await token(pod('u'), account, 'registry')).toBe('t2');
  expect(asked[0]).toEqual({
    key: { namespace: 'ns', name: 'builder' },
    request: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: ['registry'], boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' } },
    },
  });
});

it('are cached by pod, service account and audience', async () => {
  const { token } = setUp();
  const all = [
    await token(pod('u'), account, 'registry'),
    await token(pod('v'), account, 'registry'),
    await token(pod('u'), { ...account, uid: 'other' }, 'registry'),
    await token(pod('u'), account, 'else'),
    await token(pod('u'), account, 'registry'),
  ];
  expect(all).toEqual(['t1', 't2', 't3', 't4', 't1']);
});

it('are used once without a valid expiration; a response without a token is an error', async () => {
  const once = setUp((_clock, count) => ({ token: `t${count}`, expirationTimestamp: 'invalid' }));
  expect([await once.token(pod('u'), account, 'a'), await once.token(pod('u'), account, 'a')]).toEqual(['t1', 't2']);
  const none = setUp(() => undefined);
  await expect(none.token(pod('u'), account, 'a')).rejects.toMatchObject({ code: 'CredentialProviderFailed' });
});
