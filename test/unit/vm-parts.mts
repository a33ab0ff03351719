import { EventEmitter } from 'node:events';
import type { IDataObject } from 'n8n-workflow';
import type { ProductContext } from '../../nodes/marketplace/product.ts';
import type { Operation } from '../../nodes/shared/operation/operation.ts';
import type { OutputItem } from '../../nodes/shared/operation/items.ts';
import { locator } from '../engine/nodes.mts';
import { OWN_KEY } from '../engine/sshKey.mts';
import { outcome } from './job-bench.mts';
import { NODE } from './log-parts.mts';
import { Market, productContext } from './market-parts.mts';

/** What a command says and how it ends; without an end, it goes on. */
export interface Ran {
	stdout?: string;
	stderr?: string;
	end?: 'exit' | 'closed' | 'cut';
	exitCode?: number | null;
	signal?: string;
}

/** A VM that takes logins in this process: no socket, no process. */
export class Vm {
	/** What it was told, with its standard input. */
	readonly commands: Array<[command: string, stdin?: string]> = [];
	/** The parameters of the node as they are saved. */
	saved: IDataObject = {};
	isTool = false;
	signal?: AbortSignal;
	readonly logged: unknown[] = [];
	/** What the execution keeps between the tries of a node. */
	readonly flow: Record<string, unknown> = {};
	/** Of a login that fails. */
	loginError?: Error & { level?: string; code?: string };
	/** Its file server. */
	sftp?: object;
	readonly market = new Market().add('d1');

	constructor(public run: (command: string, stdin?: string) => Ran = () => ({ end: 'exit' })) {
		const workers = [{ vm_id: 1, ssh_access: 'ubuntu@192.0.2.1', status: 'running' }];
		this.market.details.set('d1/vms', { workers });
	}

	/** What an operation on it comes to. */
	async does<Input>(operation: Operation<Input>, input: Input): Promise<OutputItem[] | Error> {
		const context = await this.context();
		return await outcome(async () => await operation.run(context, input));
	}

	async context(): Promise<ProductContext> {
		const { flow, signal, market } = this;
		const context = await productContext(market, { flow, signal });
		const credentials = { computeSshApi: { id: '1', name: 'SSH' } };
		const { getCredentials } = context.functions;
		Object.assign(context.functions, {
			getNode: () => ({ ...NODE, credentials, parameters: this.saved }),
			getCredentials: async (type: string) =>
				type === 'computeSshApi'
					? { privateKey: OWN_KEY.privateKey }
					: await getCredentials.call(context.functions, type),
			isToolExecution: () => this.isTool,
		});
		Object.assign(context.functions.helpers, {
			getSSHClient: async (_: unknown, controller: AbortController) => {
				if (this.loginError) throw this.loginError;
				return await Promise.resolve(this.client(controller));
			},
			updateLastUsed: () => undefined,
		});
		context.log = (...line) => void this.logged.push(line);
		return context;
	}

	private client(controller: AbortController) {
		const exec = (command: string, opened: (error: undefined, channel: EventEmitter) => void) => {
			const channel = Object.assign(new EventEmitter(), {
				stderr: new EventEmitter(),
				close: () => undefined,
				end: (input?: Buffer) => {
					this.commands.push(input ? [command, input.toString()] : [command]);
					const {
						stdout,
						stderr,
						end,
						exitCode = 0,
						signal,
					} = this.run(command, input?.toString());
					if (stdout) channel.emit('data', Buffer.from(stdout));
					if (stderr) channel.stderr.emit('data', Buffer.from(stderr));
					if (end === 'exit') channel.emit('exit', exitCode, signal);
					if (end === 'cut') controller.abort();
					if (end) channel.emit('close');
				},
			});
			opened(undefined, channel);
		};
		const sftp = (opened: (error: undefined, wrapper: unknown) => void) =>
			opened(undefined, this.sftp);
		const nothing = () => undefined;
		return Object.assign(new EventEmitter(), {
			...{ exec, sftp, setNoDelay: nothing, unforwardIn: nothing, destroy: nothing },
		});
	}
}

/** The form's fields that name the VM. */
export const ON_VM = { deploymentId: locator('d1') };

/** What output and errors say of the VM. */
export const FACTS = {
	deployment_id: 'd1',
	vm_id: '1',
	ssh_user: 'ubuntu',
	ssh_host: '192.0.2.1',
	ssh_port: 22,
};

/** What an error says and carries. */
export function told(result: OutputItem[] | Error) {
	if (!(result instanceof Error)) throw new Error('It was done');
	const { message, description, context } = result as Error & {
		description?: string;
		context: IDataObject;
	};
	return { message, description, known: context.known };
}
