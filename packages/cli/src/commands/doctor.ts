import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Command } from '../command.js';
import { type Console, wantsColours } from '../console.js';
import { doctorReport, hasErrors, renderReport } from '../doctor/doctor-report.js';
import { existingFolder, readDoctorFacts } from '../doctor/read-doctor-facts.js';
import { describeFlags, type Flag, helpFlag, oneOf, outputFlag, outputForms, readFlags, text } from '../flags.js';
import { ociRoot, previousProgram } from '../oci/oci-state.js';
import { printableJson } from '../terminal/printable.js';
import { rootDirFlag } from './root-dir-flag.js';

type Context = Pick<Console, 'env' | 'isRoot'>;

const doctorFlags = (console: Context): Flag[] => [
  rootDirFlag(console, 'root directory of the agent, for which disk and overlay mounts are checked.'),
  { ...outputFlag, help: '"text", or "json" for programs.' },
  helpFlag,
];

const doctorHelp = (
  console: Context,
) => `Checks whether this machine can run pods in containers without a container runtime of the machine: kernel,
cgroups, programs, CNI plugins, disk and limits. It names the packages to install on Debian, Alpine and Fedora, and shows which runtime
"nodeagent run" takes. As root it runs a container to be sure; it changes nothing else.

usage: nodeagent doctor [flags]

${describeFlags(doctorFlags(console))}

An error means that no pod runs in a container. A warning means that something that pods may use does not work.

Exit codes: 0 no errors, 1 errors, 2 invalid flags.
`;

export const doctorCommand: Command = { flags: doctorFlags, help: doctorHelp, run: doctor };

/** `nodeagent doctor` */
export async function doctor(args: readonly string[], console: Console): Promise<number> {
  const values = readFlags(doctorFlags(console), args);
  const output = oneOf(values, 'output', outputForms);
  const rootDir = resolve(text(values, 'root-dir'));
  const root = ociRoot(rootDir);
  const { env, isRoot, stdout } = console;
  const facts = await readDoctorFacts(rootDir, {
    env,
    isRoot,
    previousProgram: previousProgram(root),
    hasDefaultNetwork: true,
    probeFolder: join(existingFolder(root), `nodeagent-probe-${randomUUID()}`),
  });
  const report = doctorReport(facts);
  const lines = output === 'json' ? [printableJson(report, 2)] : renderReport(report, wantsColours(stdout, env));
  stdout.write(`${lines.join('\n')}\n`);
  return hasErrors(report) ? 1 : 0;
}
