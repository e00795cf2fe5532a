import { NodeAgentError } from '@nodeagent/api';
import { testClusterErrorCodes } from './errors.js';
import type { TestNodeOptions } from './options.js';
import type { TestNode } from './simulated-node.js';

/** The nodes of a cluster, and the scripts of present and future ones. */
export class ClusterNodes {
  /** In the order in which they were added. */
  readonly all: TestNode[] = [];
  readonly byName = new Map<string, TestNode>();
  readonly #create: (options: TestNodeOptions & { name: string; index: number }) => TestNode;
  readonly #scripts: ((node: TestNode) => void)[] = [];
  #created = 0;

  constructor(create: (options: TestNodeOptions & { name: string; index: number }) => TestNode) {
    this.#create = create;
  }

  /** Throws `UnknownNode`. */
  get(name: string): TestNode {
    const found = this.byName.get(name);
    if (found) return found;
    throw new NodeAgentError(testClusterErrorCodes.unknownNode, `node "${name}" not found`);
  }

  /** Adds a stopped node. */
  add(options: TestNodeOptions): TestNode {
    const index = this.#created++;
    const { name = `node-${index + 1}` } = options;
    if (this.byName.has(name)) throw new NodeAgentError(testClusterErrorCodes.unknownNode, `node "${name}" already exists`);
    const node = this.#create({ ...options, name, index });
    for (const script of this.#scripts) script(node);
    this.all.push(node);
    this.byName.set(name, node);
    return node;
  }

  remove(node: TestNode): void {
    this.all.splice(this.all.indexOf(node), 1);
    this.byName.delete(node.name);
  }

  onAll(script: (node: TestNode) => void): void {
    this.#scripts.push(script);
    for (const node of this.all) script(node);
  }
}
