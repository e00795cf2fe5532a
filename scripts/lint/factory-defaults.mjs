// Every exported factory of a package works without a clock, a logger, a random source, metrics and a recorder: the options have them
// optional, and the defaults are systemClock, silentLogger, systemRandom, noMetrics and noEvents of @nodeagent/api. Checked by types.
// It exists because the rule is the project's own, and needs the types of options.
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { root } from '../lib/pnpm.mjs';
import { reportProblems } from './source-files.mjs';

/** The option of a factory, and the contract of @nodeagent/api that it takes. */
const defaults = { clock: 'systemClock', logger: 'silentLogger', random: 'systemRandom', metrics: 'noMetrics', recorder: 'noEvents' };

/** Factories whose default would be a silent bug, with the reason. */
const exceptions = {
  createAgentProcess: 'test-cluster runs in virtual time only',
  createMemoryRuntime: 'runs in the virtual clock of a test; a forgotten one would wait in real time',
  createNestedPendingOperations: 'part of a manager; without its clock it would leave virtual time unnoticed',
  createOperationMap: 'part of a manager; without its clock it would leave virtual time unnoticed',
};

/** The problems of the factories that these index files export, as `path: text`. */
export function factoryProblems(indexFiles) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: indexFiles, include: [] }, ts.sys, root);
  const program = ts.createProgram(indexFiles, { ...options, noEmit: true, skipLibCheck: true });
  const checker = program.getTypeChecker();
  return indexFiles.flatMap((index) => {
    const module = checker.getSymbolAtLocation(program.getSourceFile(index));
    return checker
      .getExportsOfModule(module)
      .flatMap((exported) => {
        const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
        if (!/^create[A-Z]/.test(exported.name) || Object.hasOwn(exceptions, exported.name) || symbol.valueDeclaration === undefined)
          return [];
        const type = checker.getTypeOfSymbol(symbol);
        return type.getCallSignatures().flatMap((signature) => requiredOf(checker, signature).map((key) => ({ exported, key })));
      })
      .map(
        ({ exported, key }) => `${relative(root, index)}: ${exported.name} requires "${key}": make it optional, default ${defaults[key]}`,
      );
  });
}

function requiredOf(checker, signature) {
  return signature.parameters.flatMap((parameter) => {
    const isOptional = (parameter.valueDeclaration?.questionToken ?? parameter.valueDeclaration?.initializer) !== undefined;
    if (isOptional) return [];
    if (Object.hasOwn(defaults, parameter.name)) return [parameter.name];
    const type = checker.getTypeOfSymbol(parameter);
    return Object.keys(defaults).filter((key) => {
      const property = type.getProperty(key);
      return property !== undefined && (property.flags & ts.SymbolFlags.Optional) === 0;
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const indexes = readdirSync(join(root, 'packages'))
    .map((name) => join(root, 'packages', name, 'src', 'index.ts'))
    .filter(ts.sys.fileExists);
  reportProblems('factory-defaults', factoryProblems(indexes));
}
