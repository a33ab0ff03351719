import type { ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

/** A key pair for the VMs: no request can test it, so the node that uses it checks the key itself. */
export class ComputeSshApi implements ICredentialType {
	name = 'computeSshApi';

	displayName = 'Compute SSH API';

	icon: Icon = { light: 'file:../icons/compute.svg', dark: 'file:../icons/compute.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-compute-marketplace/n8n-nodes-compute-marketplace#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Private Key',
			name: 'privateKey',
			type: 'string',
			typeOptions: { password: true, rows: 5 },
			default: '',
			required: true,
			placeholder: '-----BEGIN OPENSSH PRIVATE KEY-----',
			description:
				'Content of the private key file, such as ~/.ssh/id_ed25519. The VMs must know its public key.',
			hint: 'Use a key of its own: whoever holds it can log in to your VMs. Make one with: ssh-keygen -t ed25519 -f n8n-key',
		},
		{
			displayName: 'Passphrase',
			name: 'passphrase',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description: 'Of the private key, if it has one',
		},
		{
			displayName: 'User Name',
			name: 'username',
			type: 'string',
			default: '',
			placeholder: 'e.g. ubuntu',
			description: 'User to log in as. Leave empty to use the one that the service shows for a VM.',
		},
	];
}
