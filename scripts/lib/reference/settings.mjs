import { join } from 'node:path';
import { tsImport } from 'tsx/esm/api';
import ts from 'typescript';
import { root } from '../pnpm.mjs';
import { cell } from './sources.mjs';

const source = join(root, 'packages', 'core', 'src', 'config', 'setting-groups.ts');

/** The page of all settings: the rows of the tables, their docstrings, and the flags that set them. Throws if a row has no docstring. */
export async function settingsPage() {
  const load = (file) => tsImport(file, { parentURL: import.meta.url, tsconfig: join(root, 'tsconfig.json') });
  const { settingGroups } = await load(source);
  const { runFlags } = await load(join(root, 'packages', 'cli', 'src', 'commands', 'run-flags.ts'));
  const flags = new Map(runFlags({}, true).flatMap(({ name, sets = [] }) => sets.map((path) => [path, name])));
  const texts = docstrings();
  const sections = Object.entries(settingGroups).map(([group, table]) => {
    const rows = Object.entries(table).map(([name, row]) => {
      const path = `${group}.${name}`;
      if (!texts.get(path)) throw new Error(`the setting ${path} has no docstring`);
      return `| \`${name}\` | ${shownDefault(row.default)} | ${code(row.field)} | ${code(flags.get(path) && `--${flags.get(path)}`)} | ${cell(texts.get(path))} |`;
    });
    return `## ${group}\n\n| Setting | Default | KubeletConfiguration | Flag | Meaning |\n| --- | --- | --- | --- | --- |\n${rows.join('\n')}\n`;
  });
  return `# Settings

This page is for everybody who configures an agent. Groups are those of \`AgentConfiguration\` of \`@nodeagent/core\`: \`agent\` has the options of
\`createNodeAgent\`, \`cluster\` those of \`joinCluster\`. Durations that end in \`Ms\` are milliseconds. The third column is the field of a
[configuration file](../running.md#a-kubelets-configuration-file), the fourth the flag of \`nodeagent run\`.

${sections.join('\n')}`;
}

const code = (text) => (text ? `\`${text}\`` : '');

const shownDefault = (value) => (value === undefined || value === '' || isEmpty(value) ? '' : code(cell(JSON.stringify(value))));

const isEmpty = (value) => typeof value === 'object' && Object.keys(value).length === 0;

/** The docstrings of the rows by the paths of the settings, also of rows that a table takes from another one. */
function docstrings() {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  const program = ts.createProgram([source], { ...options, incremental: false, tsBuildInfoFile: undefined, noEmit: true });
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(source));
  const groups = checker.getTypeOfSymbol(checker.getExportsOfModule(module).find(({ name }) => name === 'settingGroups'));
  return new Map(
    checker.getPropertiesOfType(groups).flatMap((group) =>
      checker.getPropertiesOfType(checker.getTypeOfSymbol(group)).map((row) => {
        const text = ts.displayPartsToString(row.getDocumentationComment(checker));
        return [`${group.name}.${row.name}`, text.replace(/\s+/g, ' ').trim()];
      }),
    ),
  );
}
