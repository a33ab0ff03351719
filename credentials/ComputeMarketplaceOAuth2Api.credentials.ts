import type { ICredentialType, Icon, INodeProperties } from 'n8n-workflow';
import { computeBaseUrlField, oAuth2Fields, serviceField } from './shared/fields';

export class ComputeMarketplaceOAuth2Api implements ICredentialType {
	name = 'computeMarketplaceOAuth2Api';

	extends = ['oAuth2Api'];

	displayName = 'Compute Marketplace OAuth2 API';

	icon: Icon = { light: 'file:../icons/compute.svg', dark: 'file:../icons/compute.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-compute-marketplace/n8n-nodes-compute-marketplace#credentials';

	properties: INodeProperties[] = [...oAuth2Fields, computeBaseUrlField, serviceField];
}
