import { Credentials } from 'n8n-core';
import type { PackageDirectoryLoader } from 'n8n-core';
import { ICredentialsHelper } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsEncrypted,
	ICredentialsExpressionResolveValues,
	IExecuteData,
	IHttpRequestOptions,
	INode,
	INodeCredentialsDetails,
	INodeParameters,
	WorkflowExecuteMode,
} from 'n8n-workflow';

export interface StoredCredential {
	type: string;
	data: ICredentialDataDecryptedObject;
	/** Which account of the service it is now: nothing that the package remembers of one may touch another. */
	account?: () => number;
}

let accounts = 0;

/**
 * An account that this process has not had yet. The package remembers what a key has bought at an address until n8n ends, and the
 * system may give a service the address of an earlier one.
 */
export function freshAccount(): () => number {
	const account = ++accounts;
	return () => account;
}

/** n8n's credential store: encrypted at rest, decrypted and applied by the rules of the credential types. */
export class StoredCredentials extends ICredentialsHelper {
	/** How often n8n asked to save a refreshed OAuth2 token. */
	tokensSaved = 0;

	private constructor(
		private readonly loader: PackageDirectoryLoader,
		private readonly stored: Map<string, ICredentialsEncrypted>,
		private readonly accounts: Map<string, StoredCredential['account']>,
	) {
		super();
	}

	static async encrypt(
		loader: PackageDirectoryLoader,
		credentials: Record<string, StoredCredential>,
	): Promise<StoredCredentials> {
		const stored = new Map<string, ICredentialsEncrypted>();
		const accounts = new Map<string, StoredCredential['account']>();
		for (const [id, { type, data, account }] of Object.entries(credentials)) {
			accounts.set(id, account);
			const credential = new Credentials({ id, name: id }, type);
			await credential.setData(data);
			stored.set(id, credential.getDataToSave());
		}
		return new StoredCredentials(loader, stored, accounts);
	}

	/** The node with credentials whose IDs tell the accounts of this store apart. */
	withAccounts(node: INode): INode {
		const credentials = Object.entries(node.credentials ?? {}).map(([type, details]) => {
			const account = this.accounts.get(details.id ?? '')?.();
			return [
				type,
				account === undefined ? details : { ...details, id: `${details.id}#${account}` },
			];
		});
		return { ...node, credentials: Object.fromEntries(credentials) as INode['credentials'] };
	}

	getParentTypes(name: string): string[] {
		return this.loader.getCredential(name).type.extends ?? [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async getCredentials(details: INodeCredentialsDetails, type: string) {
		const stored = this.stored.get(storedId(details));
		if (!stored) throw new Error(`There is no credential ${String(details.id)}`);
		return new Credentials({ id: details.id, name: details.name }, type, stored.data);
	}

	async getDecrypted(
		_additionalData: unknown,
		details: INodeCredentialsDetails,
		type: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		_raw?: boolean,
		values?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		const stored = await this.getCredentials(details, type);
		const data = (await stored.getData()) as ICredentialDataDecryptedObject;
		// The package tells accounts apart by what is secret in the credential, and this one has the key of the account before
		const [, account] = String(details.id).split('#');
		if (account !== undefined) data.clientId ??= account;
		if (!values) return data;
		const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = values;
		return workflow.expression.getParameterValue(
			data as INodeParameters,
			runExecutionData,
			runIndex,
			itemIndex,
			node.name,
			connectionInputData,
			mode,
			{},
			executeData,
		) as ICredentialDataDecryptedObject;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.loader.getCredential(typeName).type;
		// n8n evaluates an expression only while a trigger is activated or an execution runs: with one, later requests fail
		if (typeof authenticate === 'object') throw new Error(`${typeName} signs with an expression`);
		return (await authenticate?.(credentials, options)) ?? options;
	}

	async preAuthentication() {
		return undefined;
	}

	async runPreAuthentication() {
		return undefined;
	}

	async updateCredentials(
		details: INodeCredentialsDetails,
		type: string,
		data: ICredentialDataDecryptedObject,
	) {
		const credential = new Credentials({ id: details.id, name: details.name }, type);
		await credential.setData(data);
		this.stored.set(storedId(details), credential.getDataToSave());
	}

	async updateCredentialsOauthTokenData(
		details: INodeCredentialsDetails,
		type: string,
		data: ICredentialDataDecryptedObject,
	) {
		this.tokensSaved++;
		await this.updateCredentials(details, type, data);
	}

	getCredentialsProperties(type: string) {
		return this.loader.getCredential(type).type.properties;
	}
}

/** Without the account. */
function storedId({ id }: INodeCredentialsDetails): string {
	return (id ?? '').replace(/#\d+$/, '');
}
