import type { Clock } from '@nodeagent/api';
import { formatTime } from '@nodeagent/api/helpers';
import { defineEndpoint } from '../endpoint.js';
import { pages } from '../endpoint-path.js';
import type { Handler } from '../http/exchange.js';
import { answerZPage } from '../http/z-page.js';
import type { AgentVersions } from '../ports.js';
import { registeredForDebugging } from '../route-switches.js';

/** `paths` are other pages for debugging. The agent's start is the creation of the handler. */
function statuszHandler({ binaryVersion, emulationVersion }: AgentVersions, paths: readonly string[], clock: Clock): Handler {
  const startedAt = clock.now();
  const startedAtMonotonic = clock.monotonic();
  return (exchange) => {
    const uptimeSeconds = Math.floor((clock.monotonic() - startedAtMonotonic) / 1000);
    answerZPage(exchange, {
      kind: 'Statusz',
      title: 'statusz',
      lines: [
        `Started: ${unixDate(startedAt)}`,
        `Up: ${uptimeText(uptimeSeconds)}`,
        `Binary version: ${binaryVersion}`,
        ...(emulationVersion === undefined ? [] : [`Emulation version: ${emulationVersion}`]),
        `Paths: ${paths.join(' ')}`,
      ],
      fields: { startTime: formatTime(startedAt), uptimeSeconds, binaryVersion, ...(emulationVersion && { emulationVersion }), paths },
    });
  };
}

/** As in `Wed Oct 16 21:03:43 UTC 2024`. */
function unixDate(ms: number): string {
  const [day = '', date = '', month = '', year = '', time = ''] = new Date(ms).toUTCString().split(/,? /);
  return `${day} ${month} ${String(Number(date)).padStart(2)} ${time} UTC ${year}`;
}

/** As in `0 hr 00 min 16 sec`. */
function uptimeText(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}

/** `/statusz`: version and uptime of the agent. */
export const statuszEndpoint = defineEndpoint({
  name: 'statusz',
  path: pages('/statusz', { '/statusz': {} }),
  methods: 'any',
  authorization: ['statusz'],
  label: 'statusz',
  isLongRunning: false,
  enabledBy: [registeredForDebugging],
  handle: ({ statusz, configz, flagz, registry, clock }) => {
    const paths = [configz && '/configz', flagz && '/flagz', '/healthz', registry && '/metrics', '/statusz'];
    return (
      statusz &&
      statuszHandler(
        statusz,
        paths.filter((path) => path !== undefined),
        clock,
      )
    );
  },
});
