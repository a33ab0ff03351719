import type { ICredentialType, Icon, INodeProperties } from 'n8n-workflow';
import { intelligenceBaseUrlField, oAuth2Fields, ragSegmentField } from './shared/fields';

export class ComputeIntelligenceOAuth2Api implements ICredentialType {
	name = 'computeIntelligenceOAuth2Api';

	extends = ['oAuth2Api'];

	displayName = 'Compute Intelligence OAuth2 API';

	icon: Icon = { light: 'file:../icons/compute.svg', dark: 'file:../icons/compute.dark.svg' };

	documentationUrl =
		'https://github.com/n8n-nodes-compute-marketplace/n8n-nodes-compute-marketplace#credentials';

	properties: INodeProperties[] = [...oAuth2Fields, intelligenceBaseUrlField, ragSegmentField];
}
