import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';

/**
 * Loads the optional peer dependency `name`. Rejects with `PACKAGE_NOT_INSTALLED` and a hint if it is not installed; other failures, such
 * as a missing dependency of that package, pass through.
 */
export async function loadOptional<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    // Node's message ends with the importing file, whose path may contain the name too.
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND' || !errorMessage(error).includes(`package '${name}'`)) throw error;
    throw new NodeAgentError('PACKAGE_NOT_INSTALLED', `package ${name} is not installed`, {
      hint: `run "npm install ${name}", with --global if nodeagent was installed with it`,
      cause: error,
    });
  }
}
