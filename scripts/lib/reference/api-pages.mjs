import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../pnpm.mjs';

/** TypeDoc, which is a dependency of docs/ only. */
export const typedoc = await import(pathToFileURL(createRequire(join(root, 'docs', 'package.json')).resolve('typedoc')));
const { Comment, CommentTag, DeclarationReflection, IntrinsicType, ReferenceType, ReflectionGroup, ReflectionKind, ReflectionType } =
  typedoc;

/** How many declarations and members a page of the reference has at most; about 40,000 pixels in a browser. */
const maxMembers = 180;

/** Splits the modules of a converted project that are too long for a page. Their names are those of the entry points. */
export function arrangePages(project) {
  const entries = project.children.map(({ name }) => name);
  for (const module of [...project.children]) {
    for (const constant of module.children ?? []) if (constant.kind === ReflectionKind.Variable) shortenConstant(constant, project);
    if (sizeOf(module) > maxMembers) splitBySubject(module, project, (name) => entries.includes(`${module.name}/${name}`));
  }
}

/** Of a table in code, its keys: what is in each of them is what the compiler infers, and the source shows it. */
function shortenConstant(constant, project) {
  const { type } = constant;
  if (type instanceof ReferenceType && type.name === 'MethodsOf') constant.type = servedMethods(type);
  if (!(type instanceof ReflectionType)) return;
  for (const row of type.declaration.children ?? []) {
    if (!(row.type instanceof ReflectionType) || row.type.declaration.children === undefined) continue;
    project.removeReflection(row.type.declaration);
    row.type = new IntrinsicType('object');
  }
}

/** Of a gRPC service, its methods: the inferred types of the messages take a screen each. */
function servedMethods({ typeArguments: [signatures] }) {
  for (const method of signatures.declaration.children) method.type = new IntrinsicType('Method');
  return signatures;
}

/** Moves the declarations of a module to a page for each subject: a folder of the sources, or a file if the folder has too many. */
function splitBySubject(module, project, isEntry) {
  const declarations = module.children.filter(({ kind }) => kind !== ReflectionKind.Reference);
  const subjects = subjectsOf(
    declarations.map((declaration) => ({ declaration, path: pathOf(declaration, module) })),
    isEntry,
  );
  const { groups } = module;
  for (const declaration of declarations) module.removeChild(declaration);
  module.groups = groupsOf(module, module.children, groups);
  const pages = subjects
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, members]) => pageOf(`${module.name}/${name}`, members, { project, groups }));
  module.comment ??= new Comment();
  module.comment.blockTags.push(new CommentTag('@pages', pages.flatMap(listed)));
}

/** A line of the list of pages, with what is on the page. */
function listed(page) {
  return [
    { kind: 'text', text: '- ' },
    { kind: 'inline-tag', tag: '@link', text: page.name, target: page },
    { kind: 'text', text: `: ${page.children.map(({ name }) => `\`${name}\``).join(', ')}\n` },
  ];
}

/** The path of a declaration from the sources of its module; of another package's, the package's name. */
function pathOf({ sources }, module) {
  const [file, entry] = [sources[0].fullFileName, module.sources[0].fullFileName];
  const path = relative(dirname(entry), file).slice(0, -'.ts'.length).split('/');
  if (path[0] === '..') return [relative(join(root, 'packages'), file).split('/')[0]];
  return path.length > 1 && path[0] === basename(entry, '.ts') ? path.slice(1) : path;
}

/** Pairs of a page's name and its declarations. `depth` is how many parts of the paths make a name. */
function subjectsOf(entries, isEntry, depth = 1) {
  const groups = new Map();
  for (const entry of entries) {
    const name = entry.path.slice(0, depth).join('/');
    groups.set(name, [...(groups.get(name) ?? []), entry]);
  }
  return [...groups].flatMap(([name, group]) => {
    const declarations = group.map(({ declaration }) => declaration);
    const isShort = declarations.reduce((sum, declaration) => sum + sizeOf(declaration), 0) <= maxMembers;
    if (isShort && !isEntry(name)) return [[name, declarations]];
    if (group.some(({ path }) => path.length > depth)) return subjectsOf(group, isEntry, depth + 1);
    return partsOf(declarations).map((part, i, { length }) => [length === 1 ? name : `${name}-${i + 1}`, part]);
  });
}

/** Cuts the declarations of a long file, in the order of their names, into parts that are no longer than a page, if a declaration is not. */
function partsOf(declarations) {
  const parts = [];
  let size = maxMembers;
  for (const declaration of declarations.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    size += sizeOf(declaration);
    if (size > maxMembers) {
      parts.push([]);
      size = sizeOf(declaration);
    }
    parts.at(-1).push(declaration);
  }
  return parts;
}

function pageOf(name, members, { project, groups }) {
  const page = new DeclarationReflection(name, ReflectionKind.Module, project);
  for (const member of members) {
    member.parent = page;
    page.addChild(member);
  }
  page.groups = groupsOf(page, members, groups);
  project.registerReflection(page, undefined, undefined);
  project.addChild(page);
  return page;
}

/** The part of a module's groups (classes, functions, ...) that is on a page. */
function groupsOf(page, members = [], groups) {
  return groups.flatMap(({ title, children }) => {
    const group = new ReflectionGroup(title, page);
    group.children = children.filter((child) => members.includes(child));
    return group.children.length > 0 ? [group] : [];
  });
}

/** The number of a declaration and its members, their parameters and types. */
function sizeOf(reflection) {
  let size = 1;
  reflection.traverse((child) => {
    size += sizeOf(child);
  });
  return size;
}
