import { createLogReader, type LogReadOptions, type LogSource } from '@nodeagent/container-logs';
import fc from 'fast-check';
import { chunkSizes, fromBase64, mutatedBytes, toBase64 } from '../generate/bytes.js';
import { promise, promiseSame, resultUnless } from '../promises.js';
import { fuzzTarget } from '../target.js';

/** The file, read in pieces of at most the given sizes. */
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

/** Undefined if the log has another format. */
async function read(content: Buffer, sizes: readonly number[], options: LogReadOptions = {}): Promise<Output | undefined> {
  return resultUnless(['UnsupportedLogFormat'], 'reading a log', async () => {
    const output: Output = { text: '', streams: [] };
    for await (const { stream, data } of createLogReader({ source: sourceOf(content, sizes) }).read('/log', options)) {
      output.text += Buffer.from(data).toString('latin1');
      const last = output.streams.at(-1);
      if (last?.[0] === stream) last[1] += data.length;
      else output.streams.push([stream, data.length]);
    }
    return output;
  });
}

const content = fc.oneof(
  fc.constantFrom('', 'x', 'a b', 'ü'),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constant('y'.repeat(5_000)),
);
const time = fc.constantFrom(
  '2026-01-01T00:00:00.000000001Z',
  '2026-01-01T00:00:00Z',
  '2026-01-01T02:00:00.5+02:00',
  '0001-01-01T00:00:00Z',
);
const criLine = fc
  .tuple(time, fc.constantFrom('stdout', 'stderr'), fc.constantFrom('F', 'F', 'P', 'F:x', ''), content)
  .map((parts) => Buffer.from(`${parts.join(' ').replaceAll('\n', ' ')}\n`));
const dockerLine = fc
  .record({ log: content, stream: fc.constantFrom('stdout', 'stderr'), time })
  .map((entry) => Buffer.from(`${JSON.stringify(entry)}\n`));
const log = fc.oneof(fc.array(criLine, { maxLength: 12 }), fc.array(dockerLine, { maxLength: 8 })).map((lines) => Buffer.concat(lines));

const written = fc.oneof(
  log.map((bytes) => ({ log: toBase64(bytes), isWhole: true })),
  mutatedBytes(log).map((bytes) => ({ log: toBase64(bytes), isWhole: false })),
);

const readOptions = fc.record(
  {
    tailLines: fc.nat(15),
    limitBytes: fc.nat(300),
    since: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'),
    timestamps: fc.boolean(),
    streams: fc.constantFrom<'All' | 'Stdout' | 'Stderr'>('All', 'Stdout', 'Stderr'),
  },
  { requiredKeys: [] },
);

export const containerLogs = fuzzTarget({
  name: 'container-logs',
  promise: 'a log gives the same output however its bytes arrive; options only leave out lines, and no byte is lost or duplicated',
  runs: 700,
  inputs: fc.record({ written, sizes: chunkSizes, options: readOptions }),
  async check({ written: { log, isWhole }, sizes, options }) {
    const content = fromBase64(log);
    const whole = await read(content, [1_000_000], options);
    promiseSame(await read(content, sizes, options), whole, 'the output of a log that is read in pieces');
    const all = await read(content, sizes);
    if (whole === undefined || all === undefined) return;
    promise(all.text.length <= content.length * 6, 'more output than input');
    const { limitBytes, ...unlimited } = options;
    if (limitBytes !== undefined) {
      const complete = await read(content, sizes, unlimited);
      promise(complete === undefined || complete.text.slice(0, limitBytes) === whole.text, `the first ${limitBytes} bytes of the output`);
    }
    const tail = await read(content, sizes, { tailLines: options.tailLines ?? 3 });
    // An incomplete last line does not count, and malformed lines can hide the format.
    promise(!isWhole || tail === undefined || all.text.endsWith(tail.text), 'the last lines are not at the end of the output');
    const lengths = await Promise.all(
      (['Stdout', 'Stderr'] as const).map(async (streams) => (await read(content, sizes, { streams }))?.text.length),
    );
    promiseSame((lengths[0] ?? 0) + (lengths[1] ?? 0), all.text.length, 'the bytes of both streams');
  },
});
