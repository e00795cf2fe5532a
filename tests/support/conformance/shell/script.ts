/** A part of a word. Parts in double quotes, and text, are not split into fields. */
export type WordPart =
  | { kind: 'text'; text: string }
  | { kind: 'variable'; name: string; quoted: boolean }
  | { kind: 'output'; script: Script; quoted: boolean }
  | { kind: 'number'; expression: string };

export type Word = readonly WordPart[];

/** `> file`, `>> file`, `2> file`. */
export interface Redirection {
  stream: 'stdout' | 'stderr';
  append: boolean;
  file: Word;
}

export type Command =
  | { kind: 'simple'; words: readonly Word[]; redirections: readonly Redirection[] }
  | { kind: 'if'; cases: readonly { condition: Script; body: Script }[]; otherwise: Script }
  | { kind: 'while'; condition: Script; body: Script };

/** Commands that pass their output on, and when they run: always, or by the exit code of the previous ones. */
export interface Pipeline {
  when: 'always' | 'success' | 'failure';
  negated: boolean;
  commands: readonly Command[];
}

export type Script = readonly Pipeline[];
