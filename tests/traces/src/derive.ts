import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { PodStatus } from '@nodeagent/api';
import { canonicalRequest, type Json, statusLine, tracedCalls } from './canonical.js';
import { type ApiWrites, formatTrace, makeTrace, type Seen, type SeenCall, type Trace } from './trace.js';

/** A step of a recording, `at` seconds after its start: a CRI call with its request as proto-loader writes it, or a write to the API server. */
interface RecordedStep {
  at: number;
  cri?: string;
  req?: Json;
  err?: string;
  api?: string;
  body?: { type?: string; reason?: string; message?: string; fieldPath?: string };
  after?: PodStatus;
}

const writtenBy: Readonly<Record<string, keyof ApiWrites>> = { 'pods/status': 'status', events: 'events' };

/** The reference of a recording. */
export function deriveTrace(steps: readonly RecordedStep[], namespace: string): Trace {
  const calls: SeenCall[] = [];
  const seen: Seen = { calls, events: [], status: [], writes: { status: 0, events: 0 } };
  for (const { at, cri, req, err, api, body, after } of steps) {
    const call = cri && cri.charAt(0).toLowerCase() + cri.slice(1);
    if (call && tracedCalls.has(call)) {
      calls.push({ call, request: canonicalRequest(camelCaseKeys(req ?? {})) ?? {}, at: at * 1000, ...(err && { fails: true }) });
    }
    if (api?.includes('events') && body?.reason) {
      seen.events.push(`${body.type} ${body.reason} ${body.fieldPath ?? ''}: ${body.message}`);
    }
    const written = api && writtenBy[api.replace(/^\w+ /, '')];
    if (written) seen.writes[written]++;
    if (after) seen.status.push(statusLine(withoutUnlimitedMemory(after)));
  }
  const text = JSON.stringify(seen).replaceAll(namespace, '<namespace>');
  return makeTrace(JSON.parse(text.replace(/sha256:[0-9a-f]{64}/g, '<image id>')) as Seen);
}

/** On cgroup v1 an unset limit may be read back as the maximum number. */
function withoutUnlimitedMemory(status: PodStatus): PodStatus {
  const { memory, ...limits } = status.resources?.limits ?? {};
  return memory === '9007199254740988Ki' ? { ...status, resources: { ...status.resources, limits } } : status;
}

/** Field names as they are in TypeScript; names of labels, annotations and variables have dots, dashes or capitals and stay. */
function camelCaseKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(camelCaseKeys);
  if (value === null || typeof value !== 'object') return value;
  const rename = (key: string) => (/^[a-z_]+$/.test(key) ? key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) : key);
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [rename(key), camelCaseKeys(field)]));
}

/** Writes the reference files of a folder of recordings. */
function main(): void {
  const { values } = parseArgs({ options: { from: { type: 'string' } } });
  if (values.from === undefined) {
    console.error('usage: npm run traces:derive -- --from DIR    DIR has one <scenario>.json per recording');
    process.exitCode = 2;
    return;
  }
  const to = fileURLToPath(new URL('../reference', import.meta.url));
  mkdirSync(to, { recursive: true });
  for (const file of readdirSync(values.from).filter((name) => name.endsWith('.json'))) {
    const steps = JSON.parse(readFileSync(join(values.from, file), 'utf8')) as RecordedStep[];
    writeFileSync(join(to, file), formatTrace(deriveTrace(steps, `tr-${basename(file, '.json')}`)));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
