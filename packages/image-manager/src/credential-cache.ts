import type { Clock } from '@nodeagent/api';
import type { PluginAnswer } from './credential-provider-api.js';

/** Maximum number of cached responses; the oldest is evicted. */
const maxAnswers = 1000;

/** Caches a plugin's responses for their cache duration. `owner` identifies a service account or token; '' is shared by all pods. */
export interface CredentialCache {
  /** The response cached for this image, else for its registry, else the global one. */
  get(image: string, owner: string): PluginAnswer | undefined;
  put(image: string, owner: string, answer: PluginAnswer): void;
}

export function createCredentialCache(clock: Pick<Clock, 'monotonic'>): CredentialCache {
  const answers = new Map<string, { answer: PluginAnswer; until: number }>();
  const keyOf = (type: PluginAnswer['cacheKeyType'], image: string, owner: string) => {
    const [registry = ''] = image.split('/', 1);
    return JSON.stringify([type, type === 'Image' ? image : type === 'Registry' ? registry : '', owner]);
  };
  return {
    get(image, owner) {
      const now = clock.monotonic();
      for (const type of ['Image', 'Registry', 'Global'] as const) {
        const kept = answers.get(keyOf(type, image, owner));
        if (kept && now < kept.until) return kept.answer;
      }
      return undefined;
    },
    put(image, owner, answer) {
      const now = clock.monotonic();
      for (const [key, { until }] of answers) if (until <= now) answers.delete(key);
      if (answer.cacheMs <= 0) return;
      answers.set(keyOf(answer.cacheKeyType, image, owner), { answer, until: now + answer.cacheMs });
      const [oldest] = answers.keys();
      if (answers.size > maxAnswers && oldest !== undefined) answers.delete(oldest);
    },
  };
}
