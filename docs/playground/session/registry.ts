import type { ImageBehaviour } from '@nodeagent/memory-runtime';

/** The repositories of the playground's registry, each with any tag. */
const repositories = [
  ...['nginx', 'httpd', 'redis', 'postgres', 'mysql', 'busybox', 'alpine', 'ubuntu', 'debian', 'python', 'node', 'golang', 'pause'],
  ...['app', 'web', 'api', 'shop', 'job', 'worker', 'agent', 'migrate', 'proxy', 'hog', 'sleep'],
];

/** How long a pull takes, in milliseconds of virtual time. */
export const defaultPullMs = 1_200;

/** Whether the registry has an image: by the last part of its repository. */
function hasImage(name: string): boolean {
  const repository = name.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
  return repositories.includes(repository.split('/').at(-1) ?? '');
}

/** How the pull of an image behaves: as containerd reports an image that the registry does not have. */
export function pullOf(name: string, pullMs: number): ImageBehaviour {
  if (hasImage(name)) return { pullMs, size: 50_000_000 };
  return { pullMs: 300, pullError: `failed to pull and unpack image "${name}": failed to resolve reference "${name}": ${name}: not found` };
}
