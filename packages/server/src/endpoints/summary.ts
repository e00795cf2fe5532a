import { errorMessage } from '@nodeagent/api';
import { defineEndpoint } from '../endpoint.js';
import { nothingBelow, service } from '../endpoint-path.js';
import { answerJson, answerText } from '../http/answers.js';
import type { Handler } from '../http/exchange.js';
import type { NodeStatsPages } from '../ports.js';

const summaryHandler =
  (stats: NodeStatsPages): Handler =>
  async ({ response, query, signal }) => {
    const asked = query.getAll('only_cpu_and_memory');
    const onlyCpuAndMemory = asked.length === 1 && asked[0] === 'true';
    try {
      answerJson(response, await stats.summary({ onlyCpuAndMemory, signal }));
    } catch (error) {
      signal.throwIfAborted();
      answerText(response, 500, `Internal Error: ${errorMessage(error)}`);
    }
  };

/** `/stats/summary`. */
export const summaryEndpoint = defineEndpoint({
  name: 'summary',
  path: service('/stats', ([page, ...rest]) => (page === 'summary' ? nothingBelow(rest) : undefined)),
  methods: ['GET', 'POST'],
  authorization: ['stats'],
  label: 'stats',
  isLongRunning: false,
  enabledBy: [],
  handle: ({ stats }) => stats && summaryHandler(stats),
});
