import { describeFlags, type Flag } from './flags.js';

/** A command's section of the manual page. */
interface CommandManual {
  name: string;
  /** The command's help, which contains `flags` as {@link describeFlags} prints them. */
  help: string;
  flags: readonly Flag[];
}

export interface ManPageOptions {
  version: string;
  /** Date of the sources, `YYYY-MM-DD`. */
  date: string;
  commands: readonly CommandManual[];
  /** Files of an installation with their purpose. */
  files: Readonly<Record<string, string>>;
}

/** The manual page nodeagent(1) in the `man` macros of roff. */
export function manPage({ version, date, commands, files }: ManPageOptions): string {
  return [
    `.TH NODEAGENT 1 ${date} "nodeagent ${version}" "User Commands"`,
    '.SH NAME',
    'nodeagent \\- run the pods of manifests or of a Kubernetes cluster on this node',
    '.SH SYNOPSIS',
    '.B nodeagent',
    '.I COMMAND',
    '[\\fIflags\\fR]',
    '.SH COMMANDS',
    ...commands.flatMap(commandSection),
    '.SH FILES',
    ...Object.entries(files).flatMap(([path, purpose]) => ['.TP', `.I ${escapeRoff(path)}`, escapeRoff(purpose)]),
    '.SH SEE ALSO',
    '.BR systemctl (1),',
    '.BR journalctl (1),',
    '.BR crictl (1)',
    '',
  ].join('\n');
}

function commandSection({ name, help, flags }: CommandManual): string[] {
  const [before = '', after = ''] = help.split(describeFlags(flags));
  return [
    `.SS nodeagent ${escapeRoff(name)}`,
    ...paragraphs(before),
    ...flags.flatMap(({ name, short, value, help, default: fallback, defaultText = fallback }) => [
      '.TP',
      `.B ${short ? `\\-${short}, ` : ''}\\-\\-${escapeRoff(name)}${value ? ` \\fI${escapeRoff(value)}\\fR` : ''}`,
      escapeRoff(defaultText === undefined ? help : `${help} (default: ${defaultText})`),
    ]),
    ...paragraphs(after),
  ];
}

/** Paragraphs of a help text. Indented lines and the usage keep their line breaks. */
function paragraphs(text: string): string[] {
  const blocks = text.split('\n\n').filter((block) => block.trim() !== '');
  return blocks.flatMap((block) => {
    const lines = block.replace(/^\n+|\n+$/g, '').split('\n');
    const isVerbatim = /^( |usage:)/.test(lines[0] ?? '');
    return isVerbatim ? ['.PP', '.nf', ...lines.map(escapeRoff), '.fi'] : ['.PP', escapeRoff(lines.join(' '))];
  });
}

/** Text without meaning for roff: no escapes, no requests at the start of a line, hyphens that can be copied. */
function escapeRoff(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/, '\\&$&');
}
