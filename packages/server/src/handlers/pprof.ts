import type { Session } from 'node:inspector/promises';
import type { Clock } from '@nodeagent/api';
import { answerText, beginAnswer, writePieces } from '../http/answers.js';
import type { Exchange, Handler } from '../http/exchange.js';

const index = `profile?seconds=30: CPU profile of the next seconds (.cpuprofile)
heap: heap snapshot (.heapsnapshot)
`;
const longestSeconds = 600;

/** `/debug/pprof/`: Node's own profiles, for Chrome's developer tools. One at a time. */
export function pprofHandler(clock: Clock): Handler<string> {
  let isBusy = false;
  const kinds = new Map<string, (exchange: Exchange) => Promise<void>>([
    ['profile', (exchange) => sendCpuProfile(exchange, clock)],
    ['heap', sendHeapSnapshot],
  ]);
  return async (exchange, kind) => {
    const { response } = exchange;
    if (kind === '') return answerText(response, 200, index);
    const send = kinds.get(kind);
    if (send === undefined) return answerText(response, 404, 'Unknown profile\n');
    if (isBusy) return answerText(response, 500, 'Could not enable profiling: profiling already in use\n');
    isBusy = true;
    try {
      await send(exchange);
    } finally {
      isBusy = false;
    }
  };
}

async function sendCpuProfile({ response, query, signal }: Exchange, clock: Clock): Promise<void> {
  const seconds = Number(query.get('seconds') ?? 30);
  if (!(seconds > 0 && seconds <= longestSeconds)) return answerText(response, 400, `seconds: from 1 to ${longestSeconds}\n`);
  const inspector = await import('node:inspector/promises');
  const session: Session = new inspector.Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await clock.sleep(seconds * 1_000, signal);
    const { profile } = await session.post('Profiler.stop');
    answerText(response, 200, JSON.stringify(profile), attachment('profile.cpuprofile'));
  } finally {
    session.disconnect();
  }
}

async function sendHeapSnapshot({ response, signal }: Exchange): Promise<void> {
  const { getHeapSnapshot } = await import('node:v8');
  const snapshot = getHeapSnapshot();
  response.setHeader('content-disposition', 'attachment; filename="heap.heapsnapshot"');
  beginAnswer(response, 'application/json');
  await writePieces(response, snapshot, signal);
  response.end();
}

const attachment = (name: string) => ({ 'content-type': 'application/json', 'content-disposition': `attachment; filename="${name}"` });
