import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const nodeTypes = /\bBuffer\b|\bNodeJS\.|\b(?:from|import\()\s*['"]node:/;
const comments = /\/\*[\s\S]*?\*\/|\/\/.*/g;

/** The installed packages whose declarations need @types/node, by themselves or by those of another that they import. */
export function packagesWithNodeTypes(consumer, entries) {
  const declarations = new Map(
    entries.map(({ manifest }) => {
      const dist = join(consumer, 'node_modules', manifest.name, 'dist');
      const files = readdirSync(dist).filter((file) => file.endsWith('.d.ts'));
      return [manifest.name, files.map((file) => readFileSync(join(dist, file), 'utf8').replace(comments, '')).join('\n')];
    }),
  );
  const imports = (name) => [...declarations.get(name).matchAll(/['"](@nodeagent\/[\w-]+)/g)].map(([, id]) => id);
  const needsNode = new Set([...declarations.keys()].filter((name) => nodeTypes.test(declarations.get(name))));
  for (let before = -1; before !== needsNode.size; ) {
    before = needsNode.size;
    for (const name of declarations.keys()) if (imports(name).some((id) => needsNode.has(id))) needsNode.add(name);
  }
  return needsNode;
}
