import type { Session } from 'node:inspector/promises';
import type { Clock } from '@nodeagent/api';
import { defineEndpoint } from '../endpoint.js';
import { anyBelow, service } from '../endpoint-path.js';
import { answerText, beginAnswer, writePieces } from '../http/answers.js';
import type { Exchange, Handler } from '../http/exchange.js';
import { disabled } from '../refusal.js';
import { debugging } from '../route-switches.js';

const index = `profile?seconds=30: CPU profile of the next seconds (.cpuprofile)
heap?seconds=30: where memory is allocated in the next seconds and not freed (.heapprofile)
heapsnapshot: all objects with their contents (.heapsnapshot), where the server's option enableHeapSnapshots allows it
`;
const maxSeconds = 600;

interface PprofOptions {
  clock: Clock;
  /** Whether `heapsnapshot` is served. */
  enableHeapSnapshots: boolean;
}

/** One profile at a time. */
function pprofHandler({ clock, enableHeapSnapshots }: PprofOptions): Handler<{ rest: string }> {
  let isBusy = false;
  const kinds = new Map<string, (exchange: Exchange) => Promise<void>>([
    ['profile', (exchange) => sendProfile(exchange, clock, recordCpu, 'profile.cpuprofile')],
    ['heap', (exchange) => sendProfile(exchange, clock, recordAllocations, 'heap.heapprofile')],
    ['heapsnapshot', sendHeapSnapshot],
  ]);
  return async (exchange, { rest: kind }) => {
    const { response } = exchange;
    if (kind === '') return answerText(response, 200, index);
    const send = kinds.get(kind);
    if (send === undefined) return answerText(response, 404, 'Unknown profile\n');
    if (send === sendHeapSnapshot && !enableHeapSnapshots) return answerText(response, 405, 'heap snapshots are disabled.\n');
    if (isBusy) return answerText(response, 500, 'Could not enable profiling: profiling already in use\n');
    isBusy = true;
    try {
      await send(exchange);
    } finally {
      isBusy = false;
    }
  };
}

type Record = (session: Session, period: () => Promise<void>) => Promise<object>;

/** Records for the seconds of the query. A profile has functions, their places in the code, and counts: no contents of objects. */
async function sendProfile({ response, query, signal }: Exchange, clock: Clock, record: Record, fileName: string): Promise<void> {
  const seconds = Number(query.get('seconds') ?? 30);
  if (!(seconds > 0 && seconds <= maxSeconds)) return answerText(response, 400, `seconds: from 1 to ${maxSeconds}\n`);
  const inspector = process.getBuiltinModule('node:inspector/promises');
  const session: Session = new inspector.Session();
  session.connect();
  try {
    const profile = await record(session, () => clock.sleep(seconds * 1_000, signal));
    answerText(response, 200, JSON.stringify(profile), {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="${fileName}"`,
    });
  } finally {
    session.disconnect();
  }
}

async function recordCpu(session: Session, period: () => Promise<void>): Promise<object> {
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  await period();
  return (await session.post('Profiler.stop')).profile;
}

async function recordAllocations(session: Session, period: () => Promise<void>): Promise<object> {
  await session.post('HeapProfiler.startSampling');
  await period();
  return (await session.post('HeapProfiler.stopSampling')).profile;
}

async function sendHeapSnapshot({ response, signal }: Exchange): Promise<void> {
  const { getHeapSnapshot } = process.getBuiltinModule('node:v8');
  const snapshot = getHeapSnapshot();
  response.setHeader('content-disposition', 'attachment; filename="heap.heapsnapshot"');
  beginAnswer(response, 'application/json');
  await writePieces(response, snapshot, signal);
  response.end();
}

/** `/debug/pprof/`: Node's own profiles, for Chrome's developer tools. */
export const pprofEndpoint = defineEndpoint({
  name: 'pprof',
  path: service('/debug/pprof', anyBelow),
  methods: ['GET'],
  authorization: ['proxy'],
  label: 'debug',
  isLongRunning: true,
  enabledBy: [debugging, { switch: 'enableProfilingHandler', refusal: disabled('profiling endpoint is disabled.') }],
  handle: ({ clock, settings: { enableHeapSnapshots = false } = {} }) => pprofHandler({ clock, enableHeapSnapshots }),
});
