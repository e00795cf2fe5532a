import type { PodFiles } from '@nodeagent/core';
import type { MemoryFileSystem } from '@nodeagent/memory-runtime';

/** The files of a simulated node as its agent reads and writes them. */
export function agentFiles(fileSystem: MemoryFileSystem): PodFiles {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const contentOf = (path: string): string | Uint8Array | undefined => {
    const found = fileSystem.find(path);
    return found?.kind === 'file' ? found.content : undefined;
  };
  return {
    async makeDirectory(path) {
      fileSystem.makeFolder(path);
    },
    async writeFile(path, content) {
      fileSystem.write(path, content);
    },
    async readText(path) {
      const content = contentOf(path);
      return content instanceof Uint8Array ? decoder.decode(content) : content;
    },
    async readTail(path, maxBytes) {
      const content = contentOf(path);
      return content === undefined ? undefined : (typeof content === 'string' ? encoder.encode(content) : content).slice(-maxBytes);
    },
    async list(path) {
      const found = fileSystem.find(path);
      return found?.kind === 'folder' ? [...found.entries.keys()] : [];
    },
    exists: async (path) => fileSystem.find(path) !== undefined,
    async remove(path) {
      fileSystem.remove(path);
    },
    async symlink(target, path) {
      fileSystem.link(target, path);
    },
  };
}
