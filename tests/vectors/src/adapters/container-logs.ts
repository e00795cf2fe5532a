import { systemClock } from '@nodeagent/api';
import { createLogReader, type LogReadOptions, type LogSource } from '@nodeagent/container-logs';
import {
  detectFormat,
  formatTimestamp,
  type LineProblem,
  type LogLine,
  parseCriLine,
  parseDockerLine,
} from '@nodeagent/container-logs/decisions';
import { type Adapter, defineAdapter } from '../adapter.js';
import { logErrorText, writeSizes } from '../masks.js';

function printed(line: LogLine | LineProblem) {
  if ('problem' in line) return { error: line.problem };
  const content = Buffer.from(line.bytes.subarray(line.start, line.end)).toString();
  return { content, stream: line.stream, timestamp: formatTimestamp(line.timestamp) };
}

function parseLine({ line }: { line: string }) {
  const bytes = Buffer.from(line);
  const format = detectFormat(bytes);
  const parse = format === 'cri' ? parseCriLine : parseDockerLine;
  return { cri: printed(parseCriLine(bytes)), detected: format ? { format, ...printed(parse(bytes)) } : { error: true } };
}

type Write = [stream: string, text: string];

interface RecordedRead {
  file: string;
  options: Omit<LogReadOptions, 'streams'>;
  streams: LogReadOptions['streams'];
}

async function read({ file, options, streams }: RecordedRead) {
  const writes: Write[] = [];
  try {
    const reader = createLogReader({ clock: systemClock, source: oneFile(Buffer.from(file)) });
    const chunks = reader.read('/0.log', { ...options, streams });
    for await (const { stream, data } of chunks) writes.push([stream, Buffer.from(data).toString()]);
  } catch (error) {
    return { writes, error: (error as Error).message };
  }
  return { writes };
}

function oneFile(content: Buffer): LogSource {
  return {
    resolve: async (path) => path,
    open: async () => ({
      id: 'log',
      size: async () => content.length,
      read: async (target, position) => content.copy(target, 0, position, position + target.length),
      close: async () => {},
    }),
    watch: () => ({ close() {} }),
  };
}

export const containerLogsAdapters: Adapter[] = [
  defineAdapter('cri-log-parse', parseLine, { masks: [logErrorText] }),
  defineAdapter('cri-log-read', read, { masks: [logErrorText, writeSizes] }),
];
