import { resolve } from 'node:path';
import { podContainers } from '@nodeagent/api/helpers';
import { type Command, chooseAction } from './command.js';
import { commandNames, commands, isCommand, loadCommand } from './commands.js';
import type { Console } from './console.js';
import type { Flag } from './flags.js';
import { fetchPods } from './local-api/agent-client.js';

/** A completion at the cursor with its description. */
interface Candidate {
  text: string;
  help?: string;
}

/**
 * `nodeagent __complete WORD...`: prints the completions of the last word, which may be empty, one a line. Prints nothing for file
 * arguments, and if the agent that it queries does not answer.
 */
export async function complete(words: readonly string[], console: Console): Promise<number> {
  const last = words[words.length - 1] ?? '';
  const candidates = (await candidatesFor(words, console)).filter(({ text }) => text.startsWith(last));
  for (const { text, help = '' } of candidates) console.stdout.write(`${text}\t${help.split('\n')[0]}\n`);
  return 0;
}

async function candidatesFor(words: readonly string[], console: Console): Promise<Candidate[]> {
  const [name, ...rest] = words;
  const named = commandNames.map((each) => ({ text: each, help: commands[each].summary }));
  if (rest.length === 0) return named;
  if (name === 'help' && rest.length === 1) return named;
  if (!isCommand(name) || name === 'help' || name === 'version') return [];
  const loaded = await loadCommand(name);
  // The last word is being typed, and names no action yet.
  const { command, args } = rest.length > 1 ? chooseAction(loaded, rest) : { command: loaded, args: rest };
  return candidatesOf(command, args, console);
}

async function candidatesOf(command: Command, words: readonly string[], console: Console): Promise<Candidate[]> {
  const before = words.slice(0, -1);
  const last = words[words.length - 1] ?? '';
  // The remaining words belong to the command that exec runs.
  if (before.includes('--')) return [];
  const flags = command.flags(console);
  const named = (word: string | undefined) => flags.find(({ name, short }) => word === `--${name}` || (short && word === `-${short}`));
  const isAsked = named(before[before.length - 1]);
  if (isAsked?.value !== undefined) return valuesOf(isAsked, words, flags);
  const [joined, start] = /^(--[^=]+)=/.exec(last) ?? [];
  const flagOfWord = named(start);
  if (flagOfWord && joined !== undefined) {
    const values = await valuesOf(flagOfWord, words, flags);
    return values.map(({ text, ...rest }) => ({ text: joined + text, ...rest }));
  }
  if (last.startsWith('-')) return flags.map(({ name, help }) => ({ text: `--${name}`, help }));
  const isFirstWord = before.every((word, index) => word.startsWith('-') || named(before[index - 1])?.value !== undefined);
  if (!isFirstWord || command.firstWord === undefined) return [];
  if (command.firstWord === 'image') return (await imageNames(words, flags)).map((text) => ({ text }));
  if (command.firstWord !== 'pod') return command.firstWord.map((text) => ({ text }));
  return (await podsOf(words, flags)).map(({ metadata }) => ({ text: metadata?.name ?? '', help: metadata?.namespace ?? '' }));
}

async function valuesOf(flag: Flag, words: readonly string[], flags: readonly Flag[]): Promise<Candidate[]> {
  if (flag.choices) return flag.choices.map((text) => ({ text }));
  if (flag.name !== 'namespace' && flag.name !== 'container') return [];
  const pods = await podsOf(words, flags);
  if (flag.name === 'namespace') return [...new Set(pods.map(({ metadata }) => metadata?.namespace ?? ''))].map((text) => ({ text }));
  const ofNamedPod = pods.filter(({ metadata }) => words.includes(metadata?.name ?? ''));
  return ofNamedPod.flatMap((pod) => [...podContainers(pod)].map(({ container }) => ({ text: container.name })));
}

/** Names of the images of `--root`; none if they cannot be read. */
async function imageNames(words: readonly string[], flags: readonly Flag[]): Promise<string[]> {
  const { readStore } = await import('./commands/image/store-flags.js');
  const root = valueIn(words, 'root') ?? flags.find(({ name }) => name === 'root')?.default;
  const images = await readStore({ root }).then(
    (store) => store.list(),
    () => [],
  );
  return images.flatMap(({ repoTags }) => repoTags);
}

/** Pods of the agent of `--root-dir`; none if it does not answer. */
async function podsOf(words: readonly string[], flags: readonly Flag[]) {
  const given = valueIn(words, 'root-dir') ?? flags.find(({ name }) => name === 'root-dir')?.default ?? '';
  const namespace = valueIn(words, 'namespace', 'n');
  const { pods } = await fetchPods(resolve(given)).catch(() => ({ pods: [] }));
  return pods.map(({ pod }) => pod).filter(({ metadata }) => namespace === undefined || metadata?.namespace === namespace);
}

/** The value of a flag in possibly incomplete words. */
function valueIn(words: readonly string[], name: string, short?: string): string | undefined {
  const joined = words.find((word) => word.startsWith(`--${name}=`));
  if (joined !== undefined) return joined.slice(name.length + 3);
  const index = words.findIndex((word) => word === `--${name}` || (short !== undefined && word === `-${short}`));
  // The last word is being typed.
  return index === -1 || index + 1 >= words.length - 1 ? undefined : words[index + 1];
}
