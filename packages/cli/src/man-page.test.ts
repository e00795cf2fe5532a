import { expect, it } from 'vitest';
import { describeFlags, helpFlag } from './flags.js';
import { manPage } from './man-page.js';

const flags = [{ name: 'root-dir', short: 'r', value: 'DIR', default: '/var/lib/x', help: "folder of the agent's state." }, helpFlag];
const help = `Runs pods.

usage: nodeagent run [flags]
       nodeagent run FILE

${describeFlags(flags)}

One paragraph
of two lines with a \\ and .hidden.

  nodeagent run --root-dir .

.hidden files stay.
`;

it('has each flag with its value and default, and keeps the lines of usage and examples', () => {
  const text = manPage({
    version: '1.2.3',
    date: '2026-01-02',
    commands: [{ name: 'run', help, flags }],
    files: { '/etc/x': 'settings' },
  });
  expect(text.split('\n')).toEqual([
    '.TH NODEAGENT 1 2026-01-02 "nodeagent 1.2.3" "User Commands"',
    '.SH NAME',
    'nodeagent \\- run the pods of manifests or of a Kubernetes cluster on this node',
    '.SH SYNOPSIS',
    '.B nodeagent',
    '.I COMMAND',
    '[\\fIflags\\fR]',
    '.SH COMMANDS',
    '.SS nodeagent run',
    '.PP',
    'Runs pods.',
    '.PP',
    '.nf',
    'usage: nodeagent run [flags]',
    '       nodeagent run FILE',
    '.fi',
    '.TP',
    '.B \\-r, \\-\\-root\\-dir \\fIDIR\\fR',
    "folder of the agent's state. (default: /var/lib/x)",
    '.TP',
    '.B \\-h, \\-\\-help',
    'show this text.',
    '.PP',
    'One paragraph of two lines with a \\e and .hidden.',
    '.PP',
    '.nf',
    '  nodeagent run \\-\\-root\\-dir .',
    '.fi',
    '.PP',
    '\\&.hidden files stay.',
    '.SH FILES',
    '.TP',
    '.I /etc/x',
    'settings',
    '.SH SEE ALSO',
    '.BR systemctl (1),',
    '.BR journalctl (1),',
    '.BR crictl (1)',
    '',
  ]);
});
