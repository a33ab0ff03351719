import { Credentials } from 'n8n-core';
import type { PackageDirectoryLoader } from 'n8n-core';
import { ICredentialsHelper } from 'n8n-workflow';
import type {
	ICredentialDataDecryptedObject,
	ICredentialsEncrypted,
	IHttpRequestOptions,
	INode,
	INodeCredentialsDetails,
	Workflow,
} from 'n8n-workflow';

export interface StoredCredential {
	type: string;
	data: ICredentialDataDecryptedObject;
}

/** n8n's credential store: encrypted at rest, decrypted and applied by the rules of the credential types. */
export class StoredCredentials extends ICredentialsHelper {
	/** How often n8n asked to save a refreshed OAuth2 token. */
	tokensSaved = 0;

	private constructor(
		private readonly loader: PackageDirectoryLoader,
		private readonly stored: Map<string, ICredentialsEncrypted>,
	) {
		super();
	}

	static async encrypt(
		loader: PackageDirectoryLoader,
		credentials: Record<string, StoredCredential>,
	): Promise<StoredCredentials> {
		const stored = new Map<string, ICredentialsEncrypted>();
		for (const [id, { type, data }] of Object.entries(credentials)) {
			const credential = new Credentials({ id, name: id }, type);
			await credential.setData(data);
			stored.set(id, credential.getDataToSave());
		}
		return new StoredCredentials(loader, stored);
	}

	getParentTypes(name: string): string[] {
		return this.loader.getCredential(name).type.extends ?? [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async getCredentials(details: INodeCredentialsDetails, type: string) {
		const stored = this.stored.get(details.id ?? '');
		if (!stored) throw new Error(`There is no credential ${String(details.id)}`);
		return new Credentials({ id: details.id, name: details.name }, type, stored.data);
	}

	async getDecrypted(
		_additionalData: unknown,
		details: INodeCredentialsDetails,
		type: string,
	): Promise<ICredentialDataDecryptedObject> {
		return (await (
			await this.getCredentials(details, type)
		).getData()) as ICredentialDataDecryptedObject;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		typeName: string,
		options: IHttpRequestOptions,
		workflow: Workflow,
		node: INode,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.loader.getCredential(typeName).type;
		if (typeof authenticate === 'function') return await authenticate(credentials, options);
		const { headers = {} } = authenticate?.properties ?? {};
		for (const [name, expression] of Object.entries(headers)) {
			const value = workflow.expression.getSimpleParameterValue(
				node,
				expression as string,
				'internal',
				{ $credentials: credentials },
				undefined,
				'',
			);
			options.headers = { ...options.headers, [name]: value };
		}
		return options;
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
		this.stored.set(details.id ?? '', credential.getDataToSave());
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
