import { errorCode, errorMessage, NodeAgentError } from '@nodeagent/api';

/**
 * Loads the optional peer dependency `name`, which not every installation of the command has. Rejects with `PACKAGE_NOT_INSTALLED` and the
 * command that installs it; any other failure, such as a dependency of that package that is missing, passes through.
 */
export async function loadOptional<Module>(name: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    // Node's message ends with the importing file, whose path may contain the name as well.
    if (errorCode(error) !== 'ERR_MODULE_NOT_FOUND' || !errorMessage(error).includes(`package '${name}'`)) throw error;
    throw new NodeAgentError('PACKAGE_NOT_INSTALLED', `package ${name} is not installed`, {
      hint: `run "npm install ${name}", with --global if nodeagent was installed with it`,
      cause: error,
    });
  }
}
