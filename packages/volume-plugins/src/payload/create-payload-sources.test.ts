import { expect, it } from 'vitest';
import { createPayloadSources } from './create-payload-sources.js';

const { signal } = new AbortController();
const rest = { tokens: { getServiceAccountToken: async () => 'token' }, nodeAllocatable: () => ({}) };

it('fails as a standalone kubelet without getters of config maps and secrets', async () => {
  const sources = createPayloadSources({ ...rest, environment: {} });
  expect(sources.configured).toBe(false);
  for (const get of [sources.getConfigMap, sources.getSecret]) {
    await expect(get?.('default', 'a', signal)).rejects.toMatchObject({
      code: 'Standalone',
      message: 'not supported due to running kubelet in standalone mode',
    });
  }
});

it("reads config maps from the environment's ports, as their method", async () => {
  const environment = {
    maps: ['a'],
    async getConfigMap(_namespace: string, name: string) {
      return this.maps.includes(name) ? { metadata: { name } } : undefined;
    },
  };
  const sources = createPayloadSources({ ...rest, environment });
  expect(sources.configured).toBe(true);
  expect(await sources.getConfigMap?.('default', 'a', signal)).toEqual({ metadata: { name: 'a' } });
  await expect(sources.getSecret?.('default', 'a', signal)).rejects.toMatchObject({ code: 'Standalone' });
});
