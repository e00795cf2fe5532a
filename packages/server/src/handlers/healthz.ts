import { type HealthCheckResult, healthzAnswer } from '../healthz.js';
import { answerText } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import type { HealthChecks } from '../ports.js';

const ping: HealthCheckResult = { name: 'ping' };

/** `/healthz` and `/healthz/NAME`. */
export const healthzHandler =
  (checks: HealthChecks = () => []): Handler<string> =>
  ({ response, query }, path) => {
    const { status, body } = healthzAnswer(path, query, [ping, ...checks()]) ?? { status: 404, body: '404 page not found\n' };
    answerText(response, status, body);
  };
