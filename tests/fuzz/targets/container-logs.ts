import { systemClock } from '@nodeagent/api';
import { createLogReader, type LogReadOptions, type LogSource } from '@nodeagent/container-logs';
import fc from 'fast-check';
import { chunkSizes, fromBase64, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { promise, promiseSame, resultUnless } from '../promises.js';
import { fuzzTarget } from '../target.js';

/** How the bytes of the log arrive: sizes of the reads, which repeat, and of the reader's buffer. */
interface Arrival {
  sizes: readonly number[];
  bufferBytes: number;
}

function sourceOf(content: Buffer, sizes: readonly number[]): LogSource {
  let reads = 0;
  return {
    resolve: async (path) => path,
    open: async () => ({
      id: 'log',
      size: async () => content.length,
      read: async (target, position) => {
        const size = sizes[reads++ % sizes.length] ?? 1;
        return content.copy(target, 0, position, Math.min(content.length, position + Math.min(size, target.length)));
      },
      close: async () => {},
    }),
    watch: () => ({ close() {} }),
  };
}

interface Output {
  text: string;
  /** The stream of each run of bytes, with their number. */
  streams: [string, number][];
}

const clock = { ...systemClock, sleep: async () => {} };

/** Undefined if the log has another format. */
async function read(content: Buffer, { sizes, bufferBytes }: Arrival, options: LogReadOptions = {}): Promise<Output | undefined> {
  return resultUnless(['UnsupportedLogFormat'], 'reading a log', async () => {
    const output: Output = { text: '', streams: [] };
    const reader = createLogReader({ clock, source: sourceOf(content, sizes), bufferBytes });
    for await (const { stream, data } of reader.read('/log', { ...options, ...(options.follow && { ended: async () => {} }) })) {
      output.text += Buffer.from(data).toString('latin1');
      const last = output.streams.at(-1);
      if (last?.[0] === stream) last[1] += data.length;
      else output.streams.push([stream, data.length]);
    }
    return output;
  });
}

const times = {
  '2026-01-01T00:00:00.000000001Z': { printed: '2026-01-01T00:00:00.000000001Z', seconds: 1e-9 },
  '2026-01-01T00:00:00Z': { printed: '2026-01-01T00:00:00.000000000Z', seconds: 0 },
  '2026-01-01T02:00:00.5+02:00': { printed: '2026-01-01T02:00:00.500000000+02:00', seconds: 0.5 },
  '0001-01-01T00:00:00Z': { printed: '0001-01-01T00:00:00.000000000Z', seconds: -1e10 },
};
const since = { '2026-01-01T00:00:00Z': 0, '2026-01-01T00:00:01Z': 1 };

interface Line {
  /** Line of a log, without its newline. */
  log: string;
  time: keyof typeof times;
  stream: string;
  /** What the container wrote. */
  content: string;
}
type Options = Omit<LogReadOptions, 'since'> & { since?: keyof typeof since };

const content = fc.oneof(
  fc.constantFrom('', 'x', 'a b', 'ü'),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constant('y'.repeat(5_000)),
);
const time = fc.constantFrom(...(Object.keys(times) as (keyof typeof times)[]));
const stream = fc.constantFrom('stdout', 'stderr');
const criLine = fc.tuple(time, stream, fc.constantFrom('F', 'F', 'P', 'P:x', 'F:x', ''), content).map(([time, stream, tags, content]) => {
  const text = content.replaceAll('\n', ' ');
  return { log: `${time} ${stream} ${tags} ${text}`, time, stream, content: tags.startsWith('P') ? text : `${text}\n` };
});
const dockerLine = fc
  .record({ log: content, stream, time })
  .map(({ log, stream, time }) => ({ log: JSON.stringify({ log, stream, time }), time, stream, content: log }));
const lines = fc.oneof(fc.array(criLine, { maxLength: 12 }), fc.array(dockerLine, { maxLength: 8 }));
const logOf = (lines: readonly Line[]) => Buffer.from(lines.map(({ log }) => `${log}\n`).join(''));

const readOptions = fc.record(
  {
    tailLines: fc.nat(15),
    limitBytes: fc.nat(300),
    since: fc.constantFrom(...(Object.keys(since) as (keyof typeof since)[])),
    timestamps: fc.boolean(),
    streams: fc.constantFrom<'All' | 'Stdout' | 'Stderr'>('All', 'Stdout', 'Stderr'),
    follow: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** What the container wrote, as far as the options request it. */
function outputOf(
  lines: readonly Line[],
  { tailLines = lines.length, limitBytes, timestamps, streams = 'All', ...options }: Options,
): string {
  const from = options.since === undefined ? Number.NEGATIVE_INFINITY : since[options.since];
  let output = '';
  let isLineStart = true;
  for (const { time, stream, content } of lines.slice(Math.max(0, lines.length - tailLines))) {
    const isRequested = times[time].seconds >= from && (streams === 'All' || streams.toLowerCase() === stream);
    if (isRequested) output += `${timestamps && isLineStart ? `${times[time].printed} ` : ''}${Buffer.from(content).toString('latin1')}`;
    isLineStart = content === '' || content.endsWith('\n');
  }
  return output.slice(0, limitBytes);
}

export const containerLogs = fuzzTarget({
  name: 'container-logs',
  promise:
    'a log gives what the container wrote, as far as the options request it, however its bytes arrive; no byte is lost or duplicated',
  runs: 700,
  inputs: fc.record({
    log: fc.oneof(lines, mutatedBytes(lines.map(logOf)).map(toBase64)),
    arrival: fc.record({ sizes: chunkSizes, bufferBytes: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 20_000 })) }),
    options: readOptions,
  }),
  content: {
    read: ({ log }) => (typeof log === 'string' ? fromBase64(log) : logOf(log)),
    write: (input, bytes) => ({ ...input, log: toBase64(bytes) }),
  },
  async check({ log, arrival, options }) {
    const content = typeof log === 'string' ? fromBase64(log) : logOf(log);
    const inPieces = await read(content, arrival, options);
    if (typeof log !== 'string') promiseSame(inPieces?.text, outputOf(log, options), 'what the container wrote');
    const whole = await read(content, { sizes: [1_000_000], bufferBytes: 1_000_000 }, options);
    promiseSame(inPieces, whole, 'the output of a log that is read in pieces');
    const all = await read(content, arrival);
    if (whole === undefined || all === undefined) return;
    promise(all.text.length <= content.length * 6, 'more output than input');
    const { limitBytes, ...unlimited } = options;
    if (limitBytes !== undefined) {
      const complete = await read(content, arrival, unlimited);
      promise(complete === undefined || complete.text.slice(0, limitBytes) === whole.text, `the first ${limitBytes} bytes of the output`);
    }
    const lengths = await Promise.all(
      (['Stdout', 'Stderr'] as const).map(async (streams) => (await read(content, arrival, { streams }))?.text.length),
    );
    promiseSame((lengths[0] ?? 0) + (lengths[1] ?? 0), all.text.length, 'the bytes of both streams');
  },
});
