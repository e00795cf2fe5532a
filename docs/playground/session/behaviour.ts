import { errorMessage } from '@nodeagent/api';
import { Quantity } from '@nodeagent/api/helpers';
import type { ContainerBehaviour, Script } from '@nodeagent/test-cluster';
import { milliseconds } from '@nodeagent/test-cluster';
import { parse } from 'yaml';

/** The annotation of a pod that describes a container's behaviour: `playground/<container>`. */
export const behaviourPrefix = 'playground/';

/** What an annotation can contain about one run of a container; durations are texts such as `90s`, memory and disk quantities. */
interface Described {
  /** It exits by itself. */
  exit?: { after?: string; code?: number; reason?: string; message?: string };
  /** How long its start takes. */
  start?: string;
  /** Its start fails with this message. */
  startError?: string;
  /** When it answers HTTP, TCP and gRPC probes, by its running time. Default: always. */
  serves?: boolean | { after?: string; until?: string };
  /** The exit code of commands in it, such as those of exec probes, and how long they take. */
  exec?: { code?: number; takes?: string };
  /** Its reaction to SIGTERM. Default: it exits at once. */
  onStop?: 'ignore' | { after?: string; code?: number };
  logs?: string[];
  terminationMessage?: string;
  memory?: Usage;
  disk?: Usage;
}

/** A quantity, or one that grows over a time. */
type Usage = string | { from?: string; to: string; over: string };

const fields: Readonly<Record<keyof Described, readonly string[] | undefined>> = {
  exit: ['after', 'code', 'reason', 'message'],
  start: undefined,
  startError: undefined,
  serves: ['after', 'until'],
  exec: ['code', 'takes'],
  onStop: ['after', 'code'],
  logs: undefined,
  terminationMessage: undefined,
  memory: ['from', 'to', 'over'],
  disk: ['from', 'to', 'over'],
};

/** The script that an annotation describes: one behaviour, or a list with one for each attempt. Throws for a text that describes none. */
export function parseBehaviour(text: string): Script {
  const value: unknown = parse(text);
  return Array.isArray(value) ? value.map(behaviourOf) : behaviourOf(value ?? {});
}

/** What is wrong with an annotation; undefined for a valid one. */
export function behaviourProblem(text: string): string | undefined {
  try {
    parseBehaviour(text);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

function behaviourOf(value: unknown): ContainerBehaviour {
  requireFields(value);
  const { exit, start, startError, serves, exec, onStop, logs, terminationMessage, memory, disk } = value;
  const usage = memory === undefined && disk === undefined ? undefined : usageOf(memory, disk);
  return {
    ...(exit && { exit: { afterMs: ms(exit.after), ...without(exit, 'after') } }),
    ...(start !== undefined && { startMs: ms(start) }),
    ...(startError !== undefined && { startError }),
    ...(serves !== undefined && { serves: servesOf(serves) }),
    ...(exec && { exec: { exitCode: exec.code ?? 0, afterMs: ms(exec.takes) } }),
    ...(onStop && { onStop: onStop === 'ignore' ? onStop : { afterMs: ms(onStop.after), code: onStop.code ?? 0 } }),
    ...(logs && { logs }),
    ...(terminationMessage !== undefined && { terminationMessage }),
    ...(usage && { usage }),
  };
}

function requireFields(value: unknown): asserts value is Described {
  if (typeof value !== 'object' || value === null) throw new Error('expected a behaviour such as "exit: { after: 5s, code: 1 }"');
  for (const [field, inner] of Object.entries(value)) {
    if (!Object.hasOwn(fields, field)) throw new Error(`unknown field "${field}"; known are ${Object.keys(fields).join(', ')}`);
    const known = fields[field as keyof Described];
    const unknown =
      typeof inner === 'object' && !Array.isArray(inner) ? Object.keys(inner ?? {}).find((key) => !known?.includes(key)) : undefined;
    if (unknown !== undefined) throw new Error(`unknown field "${field}.${unknown}"${known ? `; known are ${known.join(', ')}` : ''}`);
  }
}

const ms = (text: string | undefined) => (text === undefined ? 0 : milliseconds(text));

function without<T extends object, K extends keyof T>(object: T, key: K): Omit<T, K> {
  const { [key]: _, ...rest } = object;
  return rest;
}

function servesOf(serves: NonNullable<Described['serves']>): ContainerBehaviour['serves'] & {} {
  if (typeof serves === 'boolean') return serves;
  const from = ms(serves.after);
  const until = serves.until === undefined ? Number.POSITIVE_INFINITY : ms(serves.until);
  return (runningMs) => runningMs >= from && runningMs < until;
}

function usageOf(memory: Usage | undefined, disk: Usage | undefined): NonNullable<ContainerBehaviour['usage']> {
  const [memoryAt, diskAt] = [amountOf(memory), amountOf(disk)];
  return (runningMs) => ({ memoryBytes: memoryAt(runningMs), diskBytes: diskAt(runningMs) });
}

function amountOf(usage: Usage | undefined): (runningMs: number) => number {
  if (typeof usage !== 'object') {
    const fixed = bytes(usage);
    return () => fixed;
  }
  const [from, to, over] = [bytes(usage.from), bytes(usage.to), Math.max(1, ms(usage.over))];
  return (runningMs) => from + (to - from) * Math.min(1, runningMs / over);
}

const bytes = (quantity: string | undefined) => (quantity === undefined ? 0 : Number(Quantity.parse(quantity).value()));
