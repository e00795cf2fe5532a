import { apiStatusError, type TokenRequest } from '@nodeagent/api';
import { createVirtualClock } from '@nodeagent/testing';
import { describe, expect, it } from 'vitest';
import { createTokenManager } from './token-manager.js';

const { signal } = new AbortController();
const spec = { audiences: [], expirationSeconds: 3600, boundObjectRef: { kind: 'Pod', name: 'p', uid: 'u' } };

describe('the token manager', () => {
  it('refreshes after 80 % of the lifetime, keeps an unexpired token if that fails, and deletes expired tokens', async () => {
    const clock = createVirtualClock();
    let served = 0;
    let failure: Error | undefined;
    const requestToken = async (_: string, __: string, request: TokenRequest) => {
      if (failure) throw failure;
      const expirationTimestamp = new Date(clock.now() + 3_600_000).toISOString();
      return { ...request, status: { token: `t${++served}`, expirationTimestamp } };
    };
    const tokens = createTokenManager({ clock, random: () => 0, requestToken });
    const get = () => tokens.getServiceAccountToken('ns', 'sa', spec, signal);
    expect(await get()).toBe('t1');
    await clock.advance(48 * 60_000);
    expect(await get()).toBe('t1');
    await clock.advance(1);
    expect(await get()).toBe('t2');
    failure = new Error('connection refused');
    await clock.advance(50 * 60_000);
    expect(await get()).toBe('t2');
    await clock.advance(10 * 60_000 + 1);
    await expect(get()).rejects.toMatchObject({ code: 'TokenUnavailable', message: expect.stringContaining('expired and refresh failed') });
    await clock.advance(60_000);
    expect(tokens.size).toBe(0);
    await expect(get()).rejects.toThrow('failed to fetch token: connection refused');
    tokens.stop();
  });

  it('refreshes after 80 % of the lifetime that the server granted, not of the requested one', async () => {
    const clock = createVirtualClock();
    let served = 0;
    const requested: (number | undefined)[] = [];
    const requestToken = async (_: string, __: string, request: TokenRequest) => {
      requested.push(request.spec.expirationSeconds);
      const expirationTimestamp = new Date(clock.now() + 600_000).toISOString();
      return { spec: { ...request.spec, expirationSeconds: 600 }, status: { token: `t${++served}`, expirationTimestamp } };
    };
    const tokens = createTokenManager({ clock, random: () => 0, requestToken });
    const get = () => tokens.getServiceAccountToken('ns', 'sa', { ...spec, expirationSeconds: 86_400 }, signal);
    expect(await get()).toBe('t1');
    await clock.advance(480_000);
    expect(await get()).toBe('t1');
    await clock.advance(1);
    expect(await get()).toBe('t2');
    expect([requested, tokens.size]).toEqual([[86_400, 86_400], 1]);
    tokens.stop();
  });

  it('deletes the tokens of a removed pod, whatever object the response binds them to', async () => {
    const requestToken = async (_: string, __: string, request: TokenRequest) => ({
      spec: { ...request.spec, boundObjectRef: { kind: 'Secret', name: 'other', uid: 'other' } },
      status: { token: 't', expirationTimestamp: new Date(3_600_000).toISOString() },
    });
    const tokens = createTokenManager({ clock: createVirtualClock(), random: () => 0, requestToken });
    await tokens.getServiceAccountToken('ns', 'sa', spec, signal);
    expect(tokens.size).toBe(1);
    tokens.deleteServiceAccountToken('u');
    expect(tokens.size).toBe(0);
    tokens.stop();
  });

  it('reports a missing API server, and one without TokenRequest', async () => {
    const alone = createTokenManager({ clock: createVirtualClock() });
    await expect(alone.getServiceAccountToken('ns', 'sa', spec, signal)).rejects.toThrow(
      'cannot use TokenManager when kubelet is in standalone mode',
    );
    const old = createTokenManager({
      clock: createVirtualClock(),
      requestToken: async () => Promise.reject(apiStatusError({ code: 404, reason: 'NotFound', message: 'not found' })),
      supportsTokenRequests: async () => false,
    });
    await expect(old.getServiceAccountToken('ns', 'sa', spec, signal)).rejects.toThrow(
      'the API server does not have TokenRequest endpoints enabled',
    );
  });
});
