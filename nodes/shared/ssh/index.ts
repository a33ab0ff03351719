import { runCommand } from './command';
import { Connection } from './connection';
import { downloadFile, uploadFile } from './files';
import type { SshFunctions, SshLogin, SshSession } from './types';

export { keyTrouble, saysBanner } from './banner';
export { readKey, type SshKey } from './key';
export * from './types';

/**
 * Does something over the connection to a login. There is one for each login in the process, counted; the last user ends it.
 * @throws SshError, and what `use` throws
 */
export async function withSsh<T>(
	functions: SshFunctions,
	login: SshLogin,
	signal: AbortSignal,
	use: (session: SshSession) => Promise<T>,
): Promise<T> {
	return await Connection.use(functions, login, signal, async (client, connection) => {
		return await use({
			run: async (request) => await runCommand(client, connection, request),
			upload: async (path, content, options) =>
				await uploadFile(client, connection, path, content, options),
			download: async (path, options) => await downloadFile(client, connection, path, options),
		});
	});
}
