import './environment.mts';
import 'reflect-metadata';
import { createRequire } from 'node:module';
import path from 'node:path';
import { Cipher, EncryptionKeyProxy, PackageDirectoryLoader } from 'n8n-core';
import { NodeConnectionTypes, NodeHelpers, type INodeType, type INodeTypes } from 'n8n-workflow';
import { TEST_PACKAGE } from '../../build.mts';
import { baseNodes } from './baseNodes.mts';
import { boundExpressions } from './expressions.mts';
import { watchLog } from './secrets.mts';

export const PACKAGE = 'n8n-nodes-compute-marketplace';
export const PROJECT = path.resolve(import.meta.dirname, '../..');

/** The package that tests load: the test build, or a changed one that a test has built. */
export const packageFolder = () => process.env.COMPUTE_PACKAGE ?? TEST_PACKAGE;

/** A line of n8n's log. */
export interface LogLine {
	message: string;
	facts?: object;
}

/** The built package, loaded once in a process. */
export interface LoadedPackage {
	loader: PackageDirectoryLoader;
	types: INodeTypes;
	/** Warnings and errors that were logged since. */
	log: LogLine[];
}

/**
 * Loads the package as n8n does, with n8n's own encryption, credentials and log.
 * @param folder where `dist` of the package is
 */
export async function loadPackage(folder: string): Promise<LoadedPackage> {
	const coreRequire = createRequire(createRequire(import.meta.url).resolve('n8n-core'));
	// The same container as the engine's: another copy would know none of its services
	const { Container } = coreRequire('@n8n/di') as { Container: Services };
	const key = {
		id: 'key',
		value: Container.get(Cipher).encryptDEKWithInstanceKey('0123456789abcdef'.repeat(4)),
		algorithm: 'aes-256-gcm' as const,
		format: 'prefixed' as const,
	};
	const provider = {
		getActiveKey: async () => key,
		getKeyById: async () => key,
		getLegacyKey: async () => key,
	};
	Container.get(EncryptionKeyProxy).setProvider(
		provider as unknown as Parameters<EncryptionKeyProxy['setProvider']>[0],
	);
	boundExpressions();
	const loader = new PackageDirectoryLoader(folder);
	await loader.loadAll();
	const byName = (type: string): INodeType => {
		const base = baseNodes[type];
		if (base) return base;
		if (!type.startsWith(`${PACKAGE}.`))
			throw new Error(`The engine of the tests has no node ${type}`);
		const name = type.slice(PACKAGE.length + 1);
		const isTool = name.endsWith(TOOL);
		const node = NodeHelpers.getVersionedNodeType(
			loader.getNode(isTool ? name.slice(0, -TOOL.length) : name).type,
		);
		return isTool ? asTool(node) : node;
	};
	return {
		loader,
		log: recordLog(coreRequire, Container),
		types: {
			getByName: byName,
			getByNameAndVersion: byName,
			getKnownTypes: () => loader.known.nodes,
		},
	};
}

/** n8n makes it from each node that is usable as a tool. */
export const TOOL = 'Tool';

/** A node as n8n offers it to AI agents: a type of its own, whose form shows what is for tools. */
function asTool(node: INodeType): INodeType {
	const description = {
		...node.description,
		name: `${node.description.name}${TOOL}`,
		inputs: [],
		outputs: [NodeConnectionTypes.AiTool],
	};
	return Object.create(node, { description: { value: description } }) as INodeType;
}

interface Services {
	get<T>(type: new (...args: never[]) => T): T;
}

/** Writes down what goes to the logger that nodes get, whatever its level. */
function recordLog(coreRequire: NodeJS.Require, services: Services): LogLine[] {
	type Log = (message: string, facts?: object) => void;
	const { Logger } = coreRequire('@n8n/backend-common') as {
		Logger: new () => Record<'debug' | 'info' | 'warn' | 'error', Log>;
	};
	const lines: LogLine[] = [];
	const logger = services.get(Logger);
	for (const level of ['debug', 'info', 'warn', 'error'] as const) {
		const write = logger[level].bind(logger);
		logger[level] = (message, facts) => {
			if (level === 'warn' || level === 'error') lines.push({ message, facts });
			watchLog({ message, facts });
			write(message, facts);
		};
	}
	return lines;
}
