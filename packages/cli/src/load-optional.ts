import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';

/**
 * Loads the optional peer dependency `name`. Rejects with `PACKAGE_NOT_INSTALLED` and a hint if it is not installed; other failures, such
 * as a missing dependency of that package, pass through.
 */
export async function loadOptional<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(name, error)) throw error;
    throw new NodeAgentError('PACKAGE_NOT_INSTALLED', `package ${name} is not installed`, {
      hint: `run "npm install ${name}", with --global if nodeagent was installed with it`,
      cause: error,
    });
  }
}

/** Node's messages end with the importing files, whose paths may contain the name too. */
function isMissing(name: string, error: unknown): boolean {
  const code = errorCode(error);
  if (code === 'ERR_MODULE_NOT_FOUND') return errorMessage(error).includes(`package '${name}'`);
  return code === 'MODULE_NOT_FOUND' && new RegExp(`module '${name}['/]`).test(errorMessage(error));
}
