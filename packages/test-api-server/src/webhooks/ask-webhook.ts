import { errorMessage } from '@nodeagent/api';
import { isObject } from '@nodeagent/api/helpers';
import type { ApiContext } from '../context.js';
import { targetOf, type WebhookClientConfig } from './client-config.js';
import type { WebhookAnswer } from './webhook-port.js';

/** Maximum size of an answer in bytes. */
const maxAnswerBytes = 3 * 1024 * 1024;

/** Posts a review to a webhook and returns the JSON object that it answers. Rejects with the reason in the words of an API server. */
export async function askWebhook(
  { store, clock, serviceUrls, callWebhook }: Pick<ApiContext, 'store' | 'clock' | 'serviceUrls' | 'callWebhook'>,
  config: WebhookClientConfig,
  review: unknown,
  timeoutSeconds: number,
): Promise<Record<string, unknown>> {
  const target = targetOf(config, { store, serviceUrls }, `timeout=${timeoutSeconds}s`);
  const over = new AbortController();
  const done = new AbortController();
  const timeout = clock.sleep(timeoutSeconds * 1000, done.signal).then(
    () => {
      over.abort();
      throw new Error('context deadline exceeded');
    },
    () => new Promise<never>(() => {}),
  );
  let answer: WebhookAnswer;
  try {
    answer = await Promise.race([callWebhook({ ...target, body: JSON.stringify(review), signal: over.signal }), timeout]);
  } catch (error) {
    throw new Error(`failed to call webhook: Post ${JSON.stringify(target.url)}: ${errorMessage(error)}`);
  } finally {
    done.abort();
  }
  return decoded(answer);
}

function decoded({ status, body }: WebhookAnswer): Record<string, unknown> {
  if (status !== 200) throw new Error(`failed to call webhook: ${statusProblem(status, body)}`);
  if (body.length > maxAnswerBytes) throw new Error(`failed to call webhook: the answer is larger than ${maxAnswerBytes} bytes`);
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch (error) {
    throw new Error(`failed to call webhook: couldn't get version/kind; json parse error: ${errorMessage(error)}`);
  }
  if (!isObject(answer)) throw new Error("failed to call webhook: couldn't get version/kind; json parse error: the answer is no object");
  return answer;
}

function statusProblem(status: number, body: string): string {
  if (status === 404) return 'the server could not find the requested resource';
  if (status >= 500)
    return `an error on the server (${JSON.stringify(body.trim().slice(0, 200))}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}
