// Every exported factory checks the names of its options with checkOptionNames of @nodeagent/api. scripts/option-names.test.ts calls each
// factory with unknown options, also in nested groups.
// It exists because the rule is the project's own, and needs the types of options.
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { entriesOf } from '../lib/entries.mjs';
import { packages } from '../lib/packages.mjs';
import { root } from '../lib/pnpm.mjs';
import { lineOf, reportProblems } from './source-files.mjs';

/** Functions that do not check their options, by the reason. */
const exceptions = {
  'is called for each pod, request or connection': [
    ...['activePods', 'podLimits', 'podRequests', 'podCgroupConfig', 'findUntoleratedTaint', 'tolerates', 'toleratesAny'],
    ...['applyUpdate', 'updateTarget', 'beginSync', 'mergeUpdate', 'runProbe', 'callPlugin', 'writeAtomically', 'seLinuxFileLabel'],
    ...['dialUpgrade', 'dialForClient', 'relayUpgrade', 'relayStream', 'streamPlugin', 'takeByTopology'],
  ],
  'creates an error': ['criError', 'invalidOptionText'],
  'takes an object that has more members: a CRI client, a ClusterConfig': ['criImages', 'createNodeTransport'],
};
const unchecked = new Set(Object.values(exceptions).flat());

/** Options that are data or ports with optional members, not groups of options. */
const notGroups = new Set([
  ...['client', 'containerLifecycle', 'cri', 'environment', 'files', 'host', 'machine', 'reclaim', 'storage'],
  ...['mounts', 'plugins', 'thresholds'],
]);

/** Options of createTestCluster that it passes to createNodeAgent, createMemoryRuntime and createTestApiServer, which check them. */
const passedOn = { createTestCluster: new Set(['agent', 'runtime', 'server']) };

/**
 * The exported functions with an options parameter: `{ id, file, name, index, groups, options, declaration }`, with the package's entry,
 * its source file, the parameter's index, the paths of the groups of options in it, such as `https.authorization` and `nodes[]`, and the
 * options themselves, those of the groups included: `{ path, isGroup, isOptional, text, place }`, with docstring and `file:line`.
 */
export function optionFactories() {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  const entries = packages()
    .filter(({ dir }) => existsSync(join(dir, 'src', 'index.ts')))
    .flatMap(({ dir, manifest }) => entriesOf(manifest).map(({ id, source }) => ({ id, file: join(dir, source) })));
  const files = entries.map(({ file }) => file);
  const program = ts.createProgram(files, { ...options, incremental: false, tsBuildInfoFile: undefined, noEmit: true });
  const checker = program.getTypeChecker();
  const seen = new Set();
  return entries.flatMap(({ id, file }) =>
    checker
      .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))
      .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
      .filter((symbol) => symbol.valueDeclaration !== undefined && !unchecked.has(symbol.name) && !seen.has(symbol) && seen.add(symbol))
      .flatMap((symbol) => {
        const [signature] = checker.getTypeOfSymbol(symbol).getCallSignatures();
        const index = signature?.parameters.findIndex((parameter) => isOptions(checker, symbol.name, parameter)) ?? -1;
        if (index < 0) return [];
        const type = checker.getTypeOfSymbol(signature.parameters[index]);
        const groups = groupsIn(checker, type, '', passedOn[symbol.name] ?? new Set());
        const described = optionsOf(checker, type, '', groups);
        return [{ id, file, name: symbol.name, index, groups, options: described, declaration: symbol.valueDeclaration }];
      }),
  );
}

function isOptions(checker, functionName, parameter) {
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(parameter));
  if (checker.isArrayType(type) || type.getCallSignatures().length > 0 || checker.getPropertiesOfType(type).length === 0) return false;
  const isDestructured = parameter.valueDeclaration !== undefined && ts.isObjectBindingPattern(parameter.valueDeclaration.name);
  return parameter.name === 'options' || nameOf(type).endsWith('Options') || (/^create[A-Z]/.test(functionName) && isDestructured);
}

const nameOf = (type) => (type.aliasSymbol ?? type.symbol)?.name ?? '';

/** The paths of the groups of options in a type. */
function groupsIn(checker, type, path, skipped) {
  const members = partsOf(checker, type).flatMap((part) => checker.getPropertiesOfType(part));
  const paths = members
    .filter(({ name }) => !skipped.has(name) && (!notGroups.has(name) || path === 'faults.'))
    .flatMap((member) => {
      const types = partsOf(checker, checker.getTypeOfSymbol(member));
      const items = types.filter((each) => checker.isArrayType(each)).flatMap((each) => checker.getTypeArguments(each));
      const groupPath = `${path}${member.name}${items.length > 0 ? '[]' : ''}`;
      return [...types, ...items]
        .filter((each) => isGroup(checker, each))
        .flatMap((each) => [groupPath, ...groupsIn(checker, each, `${groupPath}.`, skipped)]);
    });
  return [...new Set(paths)];
}

/** The options of a type, and those of its groups. */
function optionsOf(checker, type, path, groups) {
  return partsOf(checker, type).flatMap((part) =>
    checker.getPropertiesOfType(part).flatMap((member) => {
      const types = partsOf(checker, checker.getTypeOfSymbol(member));
      const items = types.filter((each) => checker.isArrayType(each)).flatMap((each) => checker.getTypeArguments(each));
      const memberPath = `${path}${member.name}${items.length > 0 ? '[]' : ''}`;
      const [declaration] = member.declarations;
      const place = `${relative(root, declaration.getSourceFile().fileName)}:${lineOf(declaration)}`;
      const text = ts.displayPartsToString(member.getDocumentationComment(checker));
      const isOptional = (member.flags & ts.SymbolFlags.Optional) !== 0;
      const below = groups.includes(memberPath) ? [...types, ...items].filter((each) => isGroup(checker, each)) : [];
      return [
        { path: memberPath, isGroup: below.length > 0, isOptional, text, place },
        ...below.flatMap((each) => optionsOf(checker, each, `${memberPath}.`, groups)),
      ];
    }),
  );
}

const partsOf = (checker, type) => {
  const given = checker.getNonNullableType(type);
  return given.isUnion() ? given.types : [given];
};

/** A type of this project other than Kubernetes objects, whose name ends in Options, Settings or Config, or with optional members and no port's methods. */
function isGroup(checker, type) {
  if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) || type.getCallSignatures().length > 0) return false;
  if (checker.isArrayType(type)) return false;
  const members = checker.getPropertiesOfType(type);
  const declared = members.map(({ declarations }) => relative(root, declarations?.[0]?.getSourceFile().fileName ?? ''));
  if (members.length === 0 || !declared.every((path) => /^packages\/(?!api\/src\/(objects|contracts)|cri-api)/.test(path))) return false;
  if (/(Options|Settings|Config)$/.test(nameOf(type))) return true;
  const isOptional = ({ flags }) => (flags & ts.SymbolFlags.Optional) !== 0;
  const isMethod = (member) => checker.getNonNullableType(checker.getTypeOfSymbol(member)).getCallSignatures().length > 0;
  return (nameOf(type) === '__type' || members.some(isOptional)) && !members.some((member) => isMethod(member) && !isOptional(member));
}

/** The factories whose body does not call `checkOptionNames` with their name and parameter, as `file:line: text`. */
export function optionNameProblems(factories) {
  return factories
    .filter(({ name, index, declaration }) => {
      const declared = ts.isVariableDeclaration(declaration) ? declaration.initializer : declaration;
      const parameter = declared.parameters?.[index]?.name.getText();
      return !declared.body?.getText().includes(`checkOptionNames('${name}', ${parameter},`);
    })
    .map(({ name, declaration }) => {
      const path = relative(root, declaration.getSourceFile().fileName);
      return `${path}:${lineOf(declaration)}: ${name} accepts unknown options: call checkOptionNames of @nodeagent/api first`;
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) reportProblems('option-names', optionNameProblems(optionFactories()));
